"""The table of checks: the property that each holds, its level, and the remedy.

Users read the sentences, in reports and in docs/OPERATIONS.md.
"""

from functools import partial

from satchel.validation.checks import (
    anchors,
    architecture,
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

# Short names, which keep a check within two lines of the table.
_Q, _S, _D = Level.QUICK, Level.STANDARD, Level.DEEP
_FINDING, _STALE, _CORRUPT = Fault.FINDING, Fault.STALE, Fault.CORRUPT
_REFRESH, _REPAIR, _REBUILD, _PERSON = (
    Remedy.REFRESH, Remedy.REPAIR, Remedy.REBUILD, Remedy.PERSON,
)  # fmt: skip

_SAMPLE = 40
"""Files that the level `standard` encodes again; the checksums of all are compared anyway."""

UNOPENED = "V000"
"""What cannot even be opened; it has no function, since every check needs an open index."""

# Codes are never used again for something else: baselines and settings name them. Within a level
# the order is that of dependence, and checks that share a pass over the files are neighbours.
CHECKS = (
    Check("V001", _Q, "pages", "every page of the database is well formed",
          _CORRUPT, _REPAIR, storage.pages),
    Check("V002", _Q, "layout", "tables and indexes are those of this version",
          _CORRUPT, _REPAIR, storage.layout),
    Check("V003", _Q, "generation",
          "the rows of generation, state and counters were written together",
          _CORRUPT, _REPAIR, storage.generation),
    Check("V004", _Q, "counts", "files have as many chunks and symbols as their rows say",
          _CORRUPT, _REPAIR, storage.counts),
    Check("V006", _Q, "contents", "what is kept of every file can be unpacked undamaged",
          _CORRUPT, _REPAIR, storage.contents),
    Check("V024", _Q, "vectors", "the checksum of every vector fits the vector and its text",
          _CORRUPT, _REPAIR, search.vector_checksums),
    Check("V009", _Q, "finished", "the last refresh was completed",
          _STALE, _REFRESH, storage.finished),
    Check("V010", _Q, "fresh", "the index has every file of the working tree as it is now",
          _STALE, _REFRESH, freshness.fresh),
    Check("V013", _Q, "head", "the commit that is checked out is the one that was indexed",
          _STALE, _REFRESH, freshness.head),
    Check("V015", _Q, "covered", "every chunk has a vector, where vectors are in use",
          _STALE, _REFRESH, search.covered),
    Check("V060", _Q, "space", "most of the database file is in use",
          _FINDING, _REBUILD, storage.space),
    Check("V005", _S, "indexes", "every SQLite index finds every row of its table",
          _CORRUPT, _REPAIR, storage.indexes),
    Check("V011", _S, "ignored",
          "files are indexed unless git or a rule of Satchel's ignores them",
          _FINDING, _REFRESH, freshness.ignored),
    Check("V012", _S, "bytes",
          "stored sources are the bytes of their files, also where size and time are unchanged",
          _CORRUPT, _REBUILD, on_file=freshness.same_bytes),
    Check("V020", _S, "spans",
          "chunks cover their file without gaps, and their lines are those of its bytes",
          _CORRUPT, _REBUILD, on_file=contents.spans),
    Check("V021", _S, "rows", "the rows of every file are those that its facts give",
          _CORRUPT, _REPAIR, on_file=contents.rows_of_facts),
    Check("V027", _S, "signatures", "exact search skips no file that holds what is looked for",
          _CORRUPT, _REPAIR, on_file=contents.signatures),
    Check("V050", _S, "secrets",
          "no indexed file contains a secret such as a key, a token or a password in an address",
          _FINDING, _PERSON, on_file=secrets.secrets),
    Check("V014", _S, "retired",
          "what is kept of earlier contents, and of whose they were, is undamaged",
          _CORRUPT, _REPAIR, freshness.retired),
    Check("V022", _S, "orphans",
          "no row refers to a row that does not exist, and none is left over",
          _CORRUPT, _REPAIR, contents.orphans),
    Check("V023", _S, "terms", "searching for a term finds exactly the chunks that contain it",
          _CORRUPT, _REPAIR, search.terms),
    Check("V025", _S, "encoder", "encoding a sample of the files again gives the same vectors",
          _CORRUPT, _REPAIR, partial(search.encoded, sample=_SAMPLE)),
    Check("V026", _S, "mirror", "Chroma, where it is in use, has the vectors of this index",
          _CORRUPT, _REPAIR, mirror.mirrored),
    Check("V028", _S, "blocks", "blocks of vectors that are stored beside the index are theirs",
          _CORRUPT, _REPAIR, search.stored_blocks),
    Check("V030", _S, "parsed", "enough code files parse, and no fewer than in the baseline",
          _FINDING, _PERSON, quality.parsed),
    Check("V031", _S, "resolved",
          "enough uses resolve to a definition, and no fewer than in the baseline",
          _FINDING, _PERSON, quality.resolved),
    Check("V032", _S, "edges", "deriving the call graph again gives the same edges",
          _CORRUPT, _REPAIR, search.edges),
    Check("V040", _S, "budgets",
          "packs keep their budget, are the same each time and quote their files",
          _FINDING, _PERSON, quality.budgets),
    Check("V071", _S, "architecture", "no file uses another against the rules of [architecture]",
          _FINDING, _PERSON, architecture.ruled),
    Check("V070", _S, "anchors",
          "the code that items of knowledge are about is there and has not changed",
          _FINDING, _PERSON, anchors.anchored),
    Check("V041", _D, "golden", "packs for the team's own questions show the files that they list",
          _FINDING, _PERSON, quality.golden),
    Check("V080", _D, "rebuilt", "a fresh index of the tree has the same rows",
          _CORRUPT, _REBUILD, rebuild.rebuilt),
    Check("V081", _D, "encoded", "encoding every file again gives the same vectors",
          _CORRUPT, _REPAIR, search.encoded),
)  # fmt: skip
"""In the order they run: what decides whether the rest can be trusted comes first."""
