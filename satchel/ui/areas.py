"""The data of the Map page: the code base by lines, by layers, by communities."""

from msgspec import Struct

from satchel.assembler.survey.terrain import Area
from satchel.questions.answers import Answers
from satchel.store.model import RepoPath
from satchel.ui.api_calls import asking

# The most that a search gives: every file that is lit up has a score of its own.
_PLACES = 200
_CYCLES = 40


class _MapQuery(Struct, frozen=True):
    """A folder or file, a question that lights up what it finds, whether git is asked for ages."""

    path: str = ""
    question: str = ""
    aged: bool = False


def _map(code: Answers, asked: _MapQuery) -> Area:
    # A map shows where answers lie: in tests as well, and in more places than anybody reads.
    scores: dict[RepoPath, float] = {}
    if asked.question:
        found = code.search(asked.question, max_results=_PLACES, scope="all")
        for place in found.results:
            # Results come best first, so the first of a file is its best.
            scores.setdefault(place.chunk.path, place.score)
    return code.terrain(asked.path, scores, aged=asked.aged)


def _cycles(code: Answers, asked: _MapQuery) -> dict[str, object]:
    # Each is a drawing; whoever has more of them begins with these.
    found = code.cycles(asked.path)
    return {"cycles": found[:_CYCLES], "n_found": len(found)}


ROUTES = (
    ("POST", "/api/map", asking(_MapQuery, _map)),
    (
        "POST",
        "/api/map/neighbourhoods",
        asking(_MapQuery, lambda code, asked: code.neighbourhoods(asked.path)),
    ),
    ("POST", "/api/map/levels", asking(_MapQuery, lambda code, asked: code.levels(asked.path))),
    ("POST", "/api/map/cycles", asking(_MapQuery, _cycles)),
)
