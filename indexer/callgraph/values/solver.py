"""The least solution of equations over sets of values, found from the questions that are asked.

A top-down solver after Seidl, Wilhelm and Hack ("Compiler Design: Analysis and Transformation",
2012): a question is evaluated, asking others on the way; when the answer to one of those
grows later, whoever asked it is evaluated again. Evaluation must be monotone; then the solution
does not depend on the order of questions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from satchel.indexer.callgraph.values.model import ANYTHING, EMPTY, Question, Values

MAX_VALUES = 16
"""A larger set becomes "anything". This bound makes the domain finite, so that the solver ends."""
MAX_DEPTH = 40
"""Questions on the stack at once; what lies deeper is answered first, from the top."""
_MAX_WAITING = 100
"""Questions that wait because they lie too deep; with more of them an answer is "anything"."""


class LookupLog(Protocol):
    """What notes the keys of everything that is looked up."""

    lookups: set[int]


class _TooDeepError(Exception):
    """A question lies more than `MAX_DEPTH` questions deep."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question


class Solver:
    """Answers questions with `evaluate`, which asks on through `ask`.

    `roots` are the questions that were asked from outside, and not by the evaluation of another.
    """

    def __init__(self, evaluate: Callable[[Question], Values], log: LookupLog) -> None:
        self.roots: set[Question] = set()
        self._evaluate = evaluate
        self._log = log
        self._answers: dict[Question, Values] = {}
        self._stable: set[Question] = set()  # answered with what is known of all they asked
        self._askers: dict[Question, set[Question]] = {}  # since the answer grew last
        self._asked: dict[Question, tuple[Question, ...]] = {}
        self._lookups: dict[Question, tuple[int, ...]] = {}
        self._sets: dict[Values, Values] = {}  # one object for all answers that are equal
        self._open: dict[Question, tuple[set[Question], set[int]]] = {}
        self._current: Question | None = None
        self._depth = 0

    @property
    def n_questions(self) -> int:
        """How many questions were asked, and are remembered."""
        return len(self._asked)

    def ask(self, question: Question) -> Values:
        """The values so far; the solution once the outermost question is answered."""
        if self._current is None:
            self.roots.add(question)
            if question not in self._stable:
                # Answer a question, and before it those that lie too deep below it for the stack.
                waiting = [question]
                while waiting:
                    try:
                        self._solve(waiting[-1])
                        waiting.pop()
                    except _TooDeepError as error:
                        # One that waits already lies on a circle that no order of answering makes
                        # shorter.
                        if error.question in waiting or len(waiting) > _MAX_WAITING:
                            self._answers[error.question] = ANYTHING
                            self._stable.add(error.question)
                        else:
                            waiting.append(error.question)
            return self._answers.get(question, EMPTY)
        # Noted even where the answer is there already: the keys of an edge are found along these.
        self._open[self._current][0].add(question)
        if question not in self._stable:
            if self._depth >= MAX_DEPTH:
                raise _TooDeepError(question)
            self._solve(question)
        self._askers.setdefault(question, set()).add(self._current)
        return self._answers.get(question, EMPTY)

    def _solve(self, question: Question) -> None:
        """Evaluate a question until nothing it asked has grown meanwhile."""
        outer, lookups = self._current, self._log.lookups
        self._depth += 1
        self._current = question
        self._log.lookups = self._opened(question)[1]
        try:
            while question not in self._stable:
                # Stable before it is evaluated: a question that leads back to itself gets what is
                # known so far, and the loop goes on if that grows.
                self._stable.add(question)
                self._learn(question, self._evaluate(question))
        except BaseException:
            self._stable.discard(question)  # so that it can be asked again
            raise
        finally:
            self._current = outer
            self._depth -= 1
            self._log.lookups = lookups
            if not self._depth:
                self._close()

    def _opened(self, question: Question) -> tuple[set[Question], set[int]]:
        """What a question asked and looked up, as sets that grow while it is evaluated."""
        known = self._open.get(question)
        if known is None:
            asked, looked_up = self._asked.get(question, ()), self._lookups.get(question, ())
            known = self._open[question] = set(asked), set(looked_up)
        return known

    def _close(self) -> None:
        """Keep what was asked and looked up in less memory: there are 200,000 questions."""
        for question, (asked, looked_up) in self._open.items():
            self._asked[question] = tuple(asked)
            self._lookups[question] = tuple(looked_up)
        self._open.clear()

    def _learn(self, question: Question, found: Values) -> None:
        """Add to an answer; where it grows, whoever asked before must be evaluated again."""
        known = self._answers.get(question, EMPTY)
        # Joined with what was known, so that answers only grow and the loop comes to its end.
        joined = known | found
        if len(joined) > MAX_VALUES or joined >= ANYTHING:
            joined = ANYTHING
        if joined == known:
            return
        self._answers[question] = self._sets.setdefault(joined, joined)
        grown = [question]
        while grown:
            for asker in self._askers.pop(grown.pop(), ()):
                if asker in self._stable:
                    self._stable.discard(asker)
                    grown.append(asker)

    def lookups(self, questions: set[Question]) -> set[int]:
        """The keys of all that was looked up to answer questions, and those they led to."""
        seen = set(questions)
        waiting = list(questions)
        found: set[int] = set()
        while waiting:
            question = waiting.pop()
            # All that the uses of a file led to is walked for each file: no set is made in vain.
            if keys := self._lookups.get(question):
                found.update(keys)
            for asked in self._asked.get(question, ()):
                if asked not in seen:
                    seen.add(asked)
                    waiting.append(asked)
        return found
