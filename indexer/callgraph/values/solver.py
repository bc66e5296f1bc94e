"""The least solution of equations over sets of values, found from the questions that are asked.

A top-down solver after Seidl, Wilhelm and Hack ("Compiler Design: Analysis and Transformation",
2012): a question is evaluated, asking others on the way; when the answer to one of those
grows later, whoever asked it is evaluated again. Evaluation must be monotone; then the solution
does not depend on the order of questions. Neither does it on how deep they lie, up to the bounds
below: an index after many edits gets the edges of a new one.

In their terms a question is an unknown, its `askers` are the unknowns that it influences, and
`_learn` destabilises them.
"""

from collections.abc import Callable
from typing import Protocol

from satchel.indexer.callgraph.values.model import ANYTHING, EMPTY, Question, Values

MAX_VALUES = 16
"""A larger set becomes "anything". This bound makes the domain finite, so that the solver ends."""
MAX_DEPTH = 40
"""Questions on the stack at once; one that is deeper is answered first, with an empty stack."""
_MAX_WAITING = 100
"""Questions that wait for one that lies too deep; with more of them that one is "anything"."""


class LookupLog(Protocol):
    """Collects the keys of everything that is looked up, in `lookups`."""

    lookups: set[int]


class _Known:
    """A question that was asked, and what is known of it.

    Looked up once and then passed around: questions are hashed and compared by their fields.
    """

    __slots__ = (
        "answer", "asked", "askers", "is_final", "is_stable", "looked_up", "question", "walk"
    )  # fmt: skip

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answer: Values = EMPTY
        self.is_stable = False  # answered with what is known of all it asked
        self.is_final = False  # stable for ever, as is all it asked: nobody must be told
        self.askers: list[_Known] | None = None  # since the answer grew last
        self.asked: tuple[_Known, ...] = ()
        self.looked_up: tuple[int, ...] = ()
        self.walk = 0
        """The number of the last walk that came by."""


class _TooDeepError(Exception):
    """A question lies more than `MAX_DEPTH` questions deep."""

    def __init__(self, known: _Known) -> None:
        super().__init__()
        self.known = known


class Solver:
    """Answers questions with `evaluate`, which asks on through `ask`."""

    def __init__(self, evaluate: Callable[[Question], Values], log: LookupLog) -> None:
        self._evaluate = evaluate
        self._log = log
        self._known: dict[Question, _Known] = {}
        self._roots: set[_Known] = set()
        self._sets: dict[Values, Values] = {}  # one object for all answers that are equal
        self._open: dict[_Known, tuple[set[_Known], set[int]]] = {}
        self._asked: set[_Known] = set()  # by the question that is evaluated just now
        self._opened_below: set[_Known] = set()  # since the outermost question was asked
        self._is_mixed = False
        """Whether one of these asked an older question whose answer is not final."""
        self._current: _Known | None = None
        self._depth = 0
        self._waiting: list[_Known] = []
        """The outermost question, and behind it those that lie too deep below it."""
        self._n_walks = 0

    @property
    def n_questions(self) -> int:
        """How many questions were asked, and are remembered."""
        return len(self._known)

    def ask(self, question: Question) -> Values:
        """The values so far; the solution once the outermost question is answered."""
        known = self._known.get(question)
        if known is None:
            known = self._known[question] = _Known(question)
        if self._current is None:
            self._roots.add(known)
            if not known.is_stable:
                self._solve_below(known)
            return known.answer
        # Noted even where the answer is there already: the keys of an edge are found along these.
        self._asked.add(known)
        if not known.is_final:
            self._ask_for(known, self._current)
        return known.answer

    def _ask_for(self, known: _Known, asker: _Known) -> None:
        """Answer a question for the evaluation of another, which is told when the answer grows."""
        if not known.is_stable:
            if self._depth < MAX_DEPTH:
                self._solve(known)
            elif known not in self._waiting:
                raise _TooDeepError(known)
            # One that waits lies on a circle that no order of answering makes shorter: as with one
            # that is on the stack, what is known of it so far counts, and the asker is told more.
        elif known not in self._open and known not in self._opened_below:
            self._is_mixed = True
        if not known.askers:
            known.askers = [asker]
        elif known.askers[-1] is not asker:
            known.askers.append(asker)

    def _solve_below(self, known: _Known) -> None:
        """Answer a question, and before it those that lie too deep below it for the stack."""
        self._waiting = waiting = [known]
        self._opened_below, self._is_mixed = set(), False
        while waiting:
            try:
                self._solve(waiting[-1])
                waiting.pop()
            except _TooDeepError as error:
                if len(waiting) > _MAX_WAITING:
                    self._learn(error.known, ANYTHING)
                    error.known.is_stable = True
                else:
                    waiting.append(error.known)
        self._settle()

    def _settle(self) -> None:
        """Let go of who asked what, where no answer can grow any more: most of the time.

        An answer grows when one that it asked for does. So it is final once the outermost question
        is answered, unless one below is not stable, or may become unstable again.
        """
        opened, self._opened_below = self._opened_below, set()
        final = {known for known in opened if known.is_stable}
        is_closed = not self._is_mixed and len(final) == len(opened)
        while not is_closed:
            found = {k for k in final if all(a.is_final or a in final for a in k.asked)}
            is_closed, final = len(found) == len(final), found
        for known in final:
            known.is_final, known.askers = True, None

    def _solve(self, known: _Known) -> None:
        """Evaluate a question until nothing it asked has grown meanwhile."""
        outer, outer_asked, lookups = self._current, self._asked, self._log.lookups
        opened = self._open.get(known)
        if opened is None:
            opened = self._open[known] = set(known.asked), set(known.looked_up)
        self._depth += 1
        self._current = known
        # What it asks and looks up, as sets that grow while it is evaluated.
        self._asked, self._log.lookups = opened
        try:
            while not known.is_stable:
                # Stable before it is evaluated: a question that leads back to itself gets what is
                # known so far, and the loop goes on if that grows.
                known.is_stable = True
                self._learn(known, self._evaluate(known.question))
        except BaseException:
            known.is_stable = False  # so that it can be asked again
            raise
        finally:
            self._current, self._asked = outer, outer_asked
            self._depth -= 1
            self._log.lookups = lookups
            if not self._depth:
                self._close()

    def _close(self) -> None:
        """Keep what was asked and looked up in less memory: there are 200,000 questions."""
        for known, (asked, looked_up) in self._open.items():
            known.asked = tuple(asked)
            known.looked_up = tuple(looked_up)
        self._opened_below.update(self._open)
        self._open.clear()

    def _learn(self, known: _Known, found: Values) -> None:
        """Add to an answer; where it grows, whoever asked before must be evaluated again."""
        if found is known.answer:  # as where nothing is found
            return
        # Joined with what was known, so that answers only grow and the loop comes to its end.
        joined = known.answer | found if known.answer else found
        if len(joined) > MAX_VALUES or joined >= ANYTHING:
            joined = ANYTHING
        if joined == known.answer:
            return
        known.answer = self._sets.setdefault(joined, joined)
        grown = [known]
        while grown:
            each = grown.pop()
            askers, each.askers = each.askers, None
            for asker in askers or ():
                if asker.is_stable:
                    asker.is_stable = False
                    grown.append(asker)

    def close(self) -> None:
        """Forget everything, at once.

        Questions refer to each other in circles, which would stay until the garbage collector has
        looked through all of memory.
        """
        for known in self._known.values():
            known.askers, known.asked = None, ()
        self._known.clear()
        self._roots.clear()
        self._sets.clear()

    def begin(self) -> None:
        """Forget what was asked from outside, and not by the evaluation of another question."""
        self._roots.clear()

    def lookups(self) -> set[int]:
        """The keys of all that was looked up to answer what was asked from outside since `begin`,
        and what that led to."""
        # All that the uses of a file led to is walked for each file, so numbers mark where a walk
        # has been.
        self._n_walks += 1
        waiting = list(self._roots)
        found: set[int] = set()
        while waiting:
            known = waiting.pop()
            if known.walk != self._n_walks:
                known.walk = self._n_walks
                found.update(known.looked_up)
                waiting += known.asked
        return found
