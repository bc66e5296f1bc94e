"""Does a question find its repository among all of a hub?

python -m bench.hub.selection QUESTIONS.json --keep DIR [--rank N]

DIR is what `bench.hub.equality --keep DIR` has built. Prints how often
the right repository is the first that is chosen, and among the five that answer, and the share of
every Nth question whose first hit lies in it, when the chosen ones are asked.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from satchel.assembler import assemble
from satchel.assembler.assemble import Question
from satchel.hub import asking, database, demo, selection
from satchel.hub.reading.pg_snapshot import builds
from satchel.store.vectors.table_encoder import TableEncoder


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--rank", type=int, default=0, help="rank every Nth question too")
    options = parser.parse_args(arguments)
    asked = json.loads(options.questions.read_text("utf-8"))
    with demo.server(options.keep / "pg") as url, database.connected(url) as hub:
        with database.reading(hub):
            found = builds(hub)
            held = {build.repository for build in found}
            pairs = [
                (each["query"], entry["name"])
                for entry in asked
                if entry["name"] in held
                for each in entry["queries"]
            ]
            chosen = [
                [each.build.repository for each in selection.choose(hub, found, query, len(found))]
                for query, _ in pairs
            ]
        places = [names.index(right) for names, (_, right) in zip(chosen, pairs, strict=True)]
        n = len(pairs)
        print(f"{n} questions, {len(found)} repositories")
        for limit in (1, 3, asking.AT_ONCE, 10):
            print(f"right one among the first {limit}: {sum(p < limit for p in places) / n:.3f}")
        if options.rank:
            encoder, some = TableEncoder(), pairs[:: options.rank]
            hits = 0
            for query, right in some:
                with asking.view(hub, "*", query, encoder) as view:
                    reply = assemble.search(view.snapshot, Question(query), 1, vectors=view.vectors)
                hits += any(r.chunk.path.startswith(f"{right}/") for r in reply.results)
            print(f"first hit in the right one, five chosen: {hits / len(some):.3f} of {len(some)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
