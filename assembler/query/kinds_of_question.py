"""What a text wants: an answer, or a change of the code; what is there, or something new. Pure.

Four probabilities by logistic regressions over the words of the first line: which words, in which
place, with which beginnings and ends. They were learned from commits and documents
(`training/kinds`), so no word is known here, and none has to be English.
"""

import re
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from math import exp

import msgspec
from msgspec import Struct

FILE = "kinds_of_question.json"
PLACES = 12
"""Words of a line that are read: what is wanted is said first."""
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_PREFIX = re.compile(r"[^\w\[]*(?:\[([^\]\n]*)\]\s*)?(?:([^\s:(\[]+)(?:\([^)\n]*\))?!?:\s+)?")
_NAME = re.compile(r"[a-z0-9][A-Z]|_|::|->|\w\.\w|#\w|\(\)|--\w|`")
_WIDE = "\u2e80"
"""From this character on, scripts write no spaces between words."""


class Wanted(Struct, frozen=True):
    """How likely a text asks for each, 0..1."""

    change: float
    """A change of the code, and not an answer about it."""
    addition: float
    """If a change: of something that is not there yet."""
    message: float
    """If a change: the text is what a program printed, and no task."""


def features(text: str) -> list[str]:
    """What the first line of a text is known by, each once, in its order."""
    line = first_line(text)
    prefix = _PREFIX.match(line)
    kinds = [
        word.lower()
        for group in (prefix.groups() if prefix else ())
        if group
        for word in _WORD.findall(group)
    ]
    rest = line[prefix.end() :] if prefix else line
    words = [word.lower().replace("’", "'") for word in _WORD.findall(rest)]
    first = words[:PLACES]
    found = [f"has {word}" for word in first]
    found += [f"{place} {word}" for place, word in enumerate(first[:4])]
    found += [f"{a} {b}" for a, b in pairwise(first[:7])]
    found += [f"begins {word[:4]}" for word in first[:2]]
    found += [f"ends {word[-n:]}" for word in first[:1] for n in (2, 3) if len(word) > n]
    found += [f"last {first[-1]}", f"closes {first[-1][-2:]}"] if first else []
    found += [
        f"pair {word[at : at + 2]}"
        for word in first
        if any(sign >= _WIDE for sign in word)
        for at in range(len(word) - 1)
    ]
    found += [*(f"kind {kind}" for kind in kinds), "kind"] if kinds else []
    found += [f"length {min(len(words), PLACES)}"]
    found += [f"asks {words[0] if words else ''}", "asks"] if line.endswith("?") else []
    found += ["name"] if _NAME.search(rest) else []
    found += ["capital"] if rest[:1].isupper() and " " in rest else []
    found += ["one word"] if " " not in rest else []
    found += ["lines"] if "\n" in text.strip() else []
    return list(dict.fromkeys(found))


def first_line(text: str) -> str:
    """The first line that says something: "Fixes" above what is fixed says nothing by itself."""
    line = text.strip().split("\n")[0].strip()
    return line if " " in line else " ".join(text.split())


class Model(Struct, frozen=True):
    """A weight a feature in each regression, and the weights of no feature; in thousandths."""

    bias: tuple[int, int, int]
    weights: dict[str, tuple[int, int, int]]

    def wanted(self, text: str) -> Wanted:
        """What a text asks for."""
        rows = [self.bias, *(self.weights[f] for f in features(text) if f in self.weights)]
        return Wanted(
            *(round(1 / (1 + exp(-sum(column) / 1000)), 6) for column in zip(*rows, strict=True))
        )


@lru_cache(maxsize=1)
def shipped() -> Model:
    """The model that Satchel ships, as `training.kinds.learn` writes it."""
    text = files("satchel.assembler.query").joinpath(FILE).read_text(encoding="utf-8")
    return msgspec.json.decode(text, type=Model)
