"""The least solution of equations over sets of values, found from the questions that are asked.

A top-down solver after Seidl, Wilhelm and Hack: a question is evaluated, asking others on the way;
when one of those grows later, whoever asked it is evaluated again. Evaluation must be monotone;
then the solution does not depend on the order of questions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Question = tuple[Any, ...]
Value = tuple[str, int, Any, int]
Values = frozenset[Value]

EMPTY: Values = frozenset()
ANYTHING: Values = frozenset({("any", 0, 0, 0)})
"""More than can be told apart."""
MAX_VALUES = 16
MAX_DEPTH = 40
"""Questions on the stack at once; what lies deeper is answered first, from the top."""
_MAX_WAITING = 100


class Asks(Protocol):
    """What notes the keys of everything that is looked up."""

    touched: set[int]


class _TooDeepError(Exception):
    """A question that the stack has no room for."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question


class Solver:
    """Answers questions with `evaluate`, which asks on through `ask`."""

    def __init__(self, evaluate: Callable[[Question], Values], tables: Asks) -> None:
        self.roots: set[Question] = set()
        self._evaluate = evaluate
        self._tables = tables
        self._held: dict[Question, Values] = {}
        self._stable: set[Question] = set()
        self._askers: dict[Question, set[Question]] = {}
        self._asked: dict[Question, set[Question]] = {}
        self._keys: dict[Question, set[int]] = {}
        self._current: Question = ()
        self._depth = 0

    @property
    def n_questions(self) -> int:
        """How many questions were asked, and are remembered."""
        return len(self._asked)

    def ask(self, question: Question) -> Values:
        """The values so far; the solution once the outermost question is answered."""
        if not self._current:
            self.roots.add(question)
            if question not in self._stable:
                self._from_the_top(question)
            return self._held.get(question, EMPTY)
        self._asked[self._current].add(question)
        if question not in self._stable:
            if self._depth >= MAX_DEPTH:
                raise _TooDeepError(question)
            self._solve(question)
        self._askers.setdefault(question, set()).add(self._current)
        return self._held.get(question, EMPTY)

    def _from_the_top(self, question: Question) -> None:
        waiting = [question]
        while waiting:
            try:
                self._solve(waiting[-1])
                waiting.pop()
            except _TooDeepError as error:
                if error.question in waiting or len(waiting) > _MAX_WAITING:
                    self._held[error.question] = ANYTHING
                    self._stable.add(error.question)
                else:
                    waiting.append(error.question)

    def _solve(self, question: Question) -> None:
        outer, keys = self._current, self._tables.touched
        self._depth += 1
        self._current = question
        self._asked.setdefault(question, set())
        self._tables.touched = self._keys.setdefault(question, set())
        try:
            while question not in self._stable:
                self._stable.add(question)
                self._learn(question, self._evaluate(question))
        except BaseException:
            self._stable.discard(question)  # so that it can be asked again
            raise
        finally:
            self._current = outer
            self._depth -= 1
            self._tables.touched = keys

    def _learn(self, question: Question, found: Values) -> None:
        known = self._held.get(question, EMPTY)
        joined = known | found
        if len(joined) > MAX_VALUES or joined >= ANYTHING:
            joined = ANYTHING
        if joined != known:
            self._held[question] = joined
            self._unsettle(question)

    def _unsettle(self, question: Question) -> None:
        """Whoever asked before knows too little now."""
        waiting = [question]
        while waiting:
            for asker in self._askers.pop(waiting.pop(), ()):
                if asker in self._stable:
                    self._stable.discard(asker)
                    waiting.append(asker)

    def keys(self, questions: set[Question]) -> set[int]:
        """Everything that was touched to answer some questions, and those they led to."""
        seen = set(questions)
        waiting = list(questions)
        found: set[int] = set()
        while waiting:
            question = waiting.pop()
            found |= self._keys.get(question, set())
            more = self._asked.get(question, set()) - seen
            seen |= more
            waiting += more
        return found
