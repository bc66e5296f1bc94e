"""The script of an agent counts calls and tokens until the code of a definition was shown."""

from pathlib import Path

from bench.serving.agent_tasks import (
    Cost,
    System,
    Task,
    WantedDefinition,
    code_lines,
    cost_of,
    one_by_one,
    tasks,
)
from bench.serving.first_minute import screen
from satchel.store import tokens

SOURCE = '''class Post:
    def lick(
        self, stamp
    ):
        """Lick it.

        At length.
        """
        # the glue
        if stamp.is_dry:
            return stamp.lick()
        return stamp

    def other(self):
        return 1
'''
LINES = ["def lick(", "self, stamp", "if stamp.is_dry:", "return stamp.lick()", "return stamp"]
TASK = Task(
    "post", "who licks stamps", "lick stamp", (WantedDefinition("post.py", "def lick(", "lick"),)
)


def test_what_is_needed_is_the_code_of_a_definition():
    assert code_lines(SOURCE, "def lick(") == LINES
    assert code_lines("int a() {\n  return 11;\n}\nint b;\n", "int a(") == [
        "int a() {",
        "return 11;",
    ]
    braced = "  void grow()\n  {\n    double();\n  }\n\n  void next()\n  {\n  }\n"
    assert code_lines(braced, "void grow()") == ["void grow()", "double();"]


def test_calls_are_counted_until_the_lines_are_there(tmp_path: Path):
    (tmp_path / "post.py").write_text(SOURCE, encoding="utf-8")
    whole, part = "\n".join(f"{n}  {line}" for n, line in enumerate(LINES)), LINES[0]
    at_once = cost_of(TASK, System(lambda _: whole, lambda _: []), tmp_path)
    assert at_once == Cost(1, tokens.count(whole), True)
    by_name = cost_of(TASK, System(lambda _: part, lambda _: [whole]), tmp_path)
    assert by_name == Cost(2, tokens.count(part) + tokens.count(whole), False)
    by_file = cost_of(TASK, System(lambda _: "", one_by_one(lambda _: part)), tmp_path)
    assert by_file == Cost(3, tokens.count(part) + tokens.count(SOURCE), False)


def test_there_are_sixty_six_tasks_over_eighteen_repositories_none_twice():
    every = tasks()
    assert len(every) == 66 and len({task.tree for task in every}) == 18
    assert len({task.sentence for task in every}) == len({task.terms for task in every}) == 66
    assert all(task.needed and len(task.needed) == len({*task.needed}) for task in every)


def test_of_what_was_drawn_over_itself_one_line_in_ten_is_kept():
    bar = "".join(f"\rindexing: {n} %" for n in range(25))
    text = f"\x1b[35mfirst\x1b[0m\r\n{bar}\r          \r\nlast\r\n"
    assert list(screen(text)) == [
        "first", "indexing: 0 %", "indexing: 10 %", "indexing: 20 %", "indexing: 24 %", "last", "",
    ]  # fmt: skip
