"""The table of checks: what is promised, how hard one must look, and what mends it."""

from __future__ import annotations

from satchel.validation.checks import (
    anchors,
    contents,
    freshness,
    mirror,
    quality,
    rebuild,
    search,
    secrets,
    storage,
)
from satchel.validation.model import Check, Fault, Level, Remedy

_Q, _S, _D = Level.QUICK, Level.STANDARD, Level.DEEP
_FINDING, _STALE, _CORRUPT = Fault.FINDING, Fault.STALE, Fault.CORRUPT
_REFRESH, _REPAIR, _REBUILD, _PERSON = (
    Remedy.REFRESH, Remedy.REPAIR, Remedy.REBUILD, Remedy.PERSON,
)  # fmt: skip

UNOPENED = "V000"
"""What cannot even be opened; it has no function, since every check needs an open index."""

CHECKS = (
    Check("V001", _Q, "pages", "every page of the database is well formed",
          _CORRUPT, _REPAIR, storage.pages),
    Check("V002", _Q, "layout", "tables and indexes are those of this version",
          _CORRUPT, _REPAIR, storage.layout),
    Check("V003", _Q, "generation", "generation, state and counters belong together",
          _CORRUPT, _REPAIR, storage.generation),
    Check("V004", _Q, "counts", "files have the chunks and symbols that they say they have",
          _CORRUPT, _REPAIR, storage.counts),
    Check("V009", _Q, "finished", "the last refresh came to its end",
          _STALE, _REFRESH, storage.finished),
    Check("V010", _Q, "fresh", "the index says what the working tree says",
          _STALE, _REFRESH, freshness.fresh),
    Check("V013", _Q, "head", "the commit that is checked out is the one that was indexed",
          _STALE, _REFRESH, freshness.head),
    Check("V015", _Q, "covered", "every chunk has a vector, where vectors are in use",
          _STALE, _REFRESH, search.covered),
    Check("V060", _Q, "space", "most of the database file is in use",
          _FINDING, _REBUILD, storage.space),
    Check("V005", _S, "indexes", "every row is found by every index over it",
          _CORRUPT, _REPAIR, storage.indexes),
    Check("V011", _S, "ignored", "what git does not ignore is indexed, but for rules of our own",
          _FINDING, _REFRESH, freshness.ignored),
    Check("V012", _S, "bytes", "what is kept of a file is its bytes, and the tree still has them",
          _CORRUPT, _REBUILD, on_file=freshness.same_bytes),
    Check("V020", _S, "spans", "chunks tile their file, and their lines are the lines of its bytes",
          _CORRUPT, _REBUILD, on_file=contents.spans),
    Check("V021", _S, "rows", "every row of a file is what its facts say, and can be found",
          _CORRUPT, _REPAIR, on_file=contents.rows_of_facts),
    Check("V050", _S, "secrets", "nothing that opens a door is in the index",
          _FINDING, _PERSON, on_file=secrets.secrets),
    Check("V014", _S, "retired", "what is kept for the day it comes back is whole",
          _CORRUPT, _REPAIR, freshness.retired),
    Check("V022", _S, "orphans", "nothing lacks its other half, in either direction",
          _CORRUPT, _REPAIR, contents.orphans),
    Check("V023", _S, "terms", "asking for a term finds exactly the chunks that hold it",
          _CORRUPT, _REPAIR, search.terms),
    Check("V024", _S, "vectors", "every vector is the one that was made of its text",
          _CORRUPT, _REPAIR, search.vector_checksums),
    Check("V025", _S, "encoder", "encoding a sample again gives the same vectors",
          _CORRUPT, _REPAIR, search.sampled_vectors),
    Check("V026", _S, "mirror", "Chroma, where it answers, holds the vectors of this index",
          _CORRUPT, _REPAIR, mirror.mirrored),
    Check("V030", _S, "parsed", "enough of the code parses, and no less than before",
          _FINDING, _PERSON, quality.parsed),
    Check("V031", _S, "resolved", "enough uses resolve, and no fewer than before",
          _FINDING, _PERSON, quality.resolved),
    Check("V032", _S, "edges", "deriving the call graph again gives the same edges",
          _CORRUPT, _REPAIR, search.edges),
    Check("V040", _S, "budgets", "packs keep their budget, come out the same, quote the files",
          _FINDING, _PERSON, quality.budgets),
    Check("V070", _S, "anchors", "what is known is about code that is still there",
          _FINDING, _PERSON, anchors.anchored),
    Check("V041", _D, "golden", "the team's own questions find the files they must",
          _FINDING, _PERSON, quality.golden),
    Check("V080", _D, "rebuilt", "a fresh index of the tree has the same rows",
          _CORRUPT, _REBUILD, rebuild.rebuilt),
    Check("V081", _D, "encoded", "encoding everything again gives every vector again",
          _CORRUPT, _REPAIR, search.all_vectors),
)  # fmt: skip
"""In the order they run: what decides whether the rest can be trusted comes first."""
