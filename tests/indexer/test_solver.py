"""The solver against the least solution, computed round by round, of systems made at random."""

from random import Random

from satchel.indexer.callgraph.values.model import Def, NameInModule, Question, Value, Values
from satchel.indexer.callgraph.values.solver import MAX_DEPTH, Solver

_N = 60


class _System:
    """Questions that ask others, with values of their own; what is looked up are their numbers."""

    def __init__(self, asked: list[list[int]], own: list[set[int]]) -> None:
        self.lookups: set[int] = set()
        self.asked = asked
        self._own = own
        self.solver = Solver(self._evaluate, self)

    def ask(self, number: int) -> set[int]:
        return _numbers(self.solver.ask(NameInModule(number, "")))

    def _evaluate(self, question: Question) -> Values:
        assert isinstance(question, NameInModule)
        number = question.file_id
        self.lookups.add(number)
        found = frozenset(Value(Def(each), 0) for each in self._own[number])
        for other in self.asked[number]:
            found |= self.solver.ask(NameInModule(other, ""))
        return found

    def reachable(self, number: int) -> set[int]:
        found, waiting = set[int](), [number]
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self.asked[at]
        return found

    def solution(self, number: int) -> set[int]:
        return {value for each in self.reachable(number) for value in self._own[each]}


def _numbers(values: Values) -> set[int]:
    return {each.what.symbol_id for each in values if isinstance(each.what, Def)}


def _check(system: _System, order: list[int]) -> None:
    for number in order:
        system.solver.begin()
        assert system.ask(number) == system.solution(number)
        assert system.solver.lookups() == system.reachable(number)


def test_answers_are_the_least_solution_whoever_asks_first() -> None:
    for seed in range(300):
        random = Random(seed)
        asked = [[random.randrange(_N) for _ in range(random.choice((0, 1, 1, 2)))]
                 for _ in range(_N)]  # fmt: skip
        own = [{random.randrange(12)} if random.random() < 0.3 else set() for _ in range(_N)]
        order = [random.randrange(_N) for _ in range(_N)]
        _check(_System(asked, own), order)


def test_chains_deeper_than_the_stack_with_circles_on_the_way_are_solved_too() -> None:
    n, n_circles = 6 * MAX_DEPTH, 24
    for seed in range(40):
        random = Random(seed)
        asked = [[at + 1] if at + 1 < n else [] for at in range(n)]
        for _ in range(n_circles):
            # Answered before the rest of the chain is, with what is known by then: it must be told.
            at = random.randrange(MAX_DEPTH // 2, n)
            asked[at].insert(0, len(asked))
            asked.append([at - random.randrange(MAX_DEPTH // 2)])
        own = [{random.randrange(12)} if random.random() < 0.05 else set() for _ in asked]
        _check(_System(asked, own), [random.randrange(len(asked)) for _ in range(30)])
