"""A request for something new finds the file of the command that it names."""

import pytest

from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from tests.support.satchel import index

_OTHER = """//- {path}
def exclude_pattern_of_{name}_option(paths, flags):
    \"\"\"Exclude paths that match a pattern: --exclude=PATTERN, an option of {name}.\"\"\"
    # The tool's terraform fmt, pr list, composer and backup add up: here words are common.
    return [path for path in paths if path not in flags.exclude]
"""
CODE = (
    "".join(
        _OTHER.format(path=f"core/exclude_pattern_{name}.py", name=name)
        for name in [f"walk{number}" for number in range(40)]
    )
    + """//- command/fmt.py
def run(arguments):
    return [rewrite(one) for one in arguments]
//- command/issue/list.py
def run(arguments):
    return show(arguments)
//- command/pr/list.py
def run(arguments):
    return show(arguments)
//- command/cmd_backup.py
def run(arguments):
    return arguments
//- command/add.py
def run(arguments):
    return arguments
//- tool/command/show.py
def run(arguments):
    return arguments
//- tool/command/page/show.py
def run(arguments):
    return arguments
//- Composer/Command/ShowCommand.php
<?php class ShowCommand { function run($arguments) { return $arguments; } }
"""
)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Add an option -exclude=PATTERN to terraform fmt", "command/fmt.py"),
        ("add a flag --exclude to pr list", "command/pr/list.py"),
        ("Let backup exclude files that match a pattern", "command/cmd_backup.py"),
        ("Support a flag --exclude=PATTERN in `tool fmt`", "command/fmt.py"),
        # A word that most questions have.
        ("Add an option --exclude=PATTERN to tool show", "tool/command/show.py"),
        ("Add a flag --exclude=PATTERN to composer show", "Composer/Command/ShowCommand.php"),
    ],
)
def test_the_file_of_a_command_is_among_the_first(project, text: str, path: str):
    with index(project(CODE)).snapshot() as snapshot:
        found = [item.chunk.path for item in search(snapshot, Question(text), 20).results]
    assert path in found[:2]


@pytest.mark.parametrize(
    "text",
    [
        "Add an option that excludes a pattern",
        "Add an option to show what a pattern excludes",
        "Fix the option --exclude=PATTERN of fmt",
    ],
)
def test_what_names_no_command_or_asks_for_nothing_new_stays(project, text: str):
    with index(project(CODE)).snapshot() as snapshot:
        found = [item.chunk.path for item in search(snapshot, Question(text), 20).results]
    assert found[0].startswith("core/")
