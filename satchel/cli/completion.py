"""What a shell offers after the words typed so far: commands, options, values, symbols and paths.

The script of each shell asks `satchel __complete WORD …` with the last word as far as it is typed.
Names come from somebody's code: only those go to the shell that mean nothing special in it.
"""

import re
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from satchel.cli.command_table import COMMANDS
from satchel.store.errors import SatchelError

SCRIPTS = {
    "bash": """\
_satchel() {
    local IFS=$'\\n'
    COMPREPLY=($(satchel __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _satchel satchel
""",
    "zsh": """\
#compdef satchel
_satchel() {
    local -a found
    found=("${(@f)$(satchel __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if (( ${#found[1]} )); then compadd -- "${found[@]}"; else _files; fi
}
if [[ ${funcstack[1]} == _satchel ]]; then _satchel "$@"; else
    (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
    compdef _satchel satchel
fi
""",
    "fish": """\
function __satchel_offered
    set -l words (commandline -opc) (commandline -ct)
    set -l found (satchel __complete $words[2..-1] 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c satchel -f -a '(__satchel_offered)'
""",
}
"""What each shell reads once, at its start."""
ParserOf = Callable[[str], ArgumentParser]
_SAFE = re.compile(r"[\w./@+][\w./:@+~-]*")
"""No option and no home folder begins a name, and nothing in it is replaced by a shell."""
_OF_SYMBOLS = ("symbols", "deps", "show")
_OF_PATHS = ("show", "overview")
_MOST = 100
_SHARING = 20
"""Records read for each word that may be offered: many symbols share a name."""


def candidates(
    words: Sequence[str], environment: Mapping[str, str], parser_of: ParserOf
) -> list[str]:
    """What the last of `words` may become, in order, at most a hundred.

    `parser_of` makes the command line with the arguments of one command.
    """
    current = words[-1] if words else ""
    if len(words) < 2:
        names = [name for commands in COMMANDS.values() for name in commands]
        return _starting(current, [*names, "--help", "--version"])
    command = next((word for word in words[:-1] if not word.startswith("-")), "")
    parser = _command(parser_of(command), command)
    if parser is None:
        return []
    # argparse has no public list of a parser's options.
    option = parser._option_string_actions.get(words[-2])
    if option is not None and option.choices is not None:
        return _starting(current, map(str, option.choices))
    if option is not None and option.dest == "path":
        return _indexed(current, environment, symbols=False, paths=True)
    if option is not None and option.nargs != 0:
        return []  # a folder or a number: the shell knows folders
    if current.startswith("-"):
        return _starting(current, parser._option_string_actions)
    values = [c for action in parser._get_positional_actions() for c in action.choices or ()]
    if values:
        return _starting(current, map(str, values))
    return _indexed(
        current, environment, symbols=command in _OF_SYMBOLS, paths=command in _OF_PATHS
    )


def _command(top: ArgumentParser, command: str) -> ArgumentParser | None:
    for action in top._actions:
        if isinstance(action.choices, dict):
            found = action.choices.get(command)
            return found if isinstance(found, ArgumentParser) else None
    return None


def _starting(current: str, every: Iterable[str]) -> list[str]:
    return [word for word in every if word.startswith(current)][:_MOST]


def _indexed(
    current: str, environment: Mapping[str, str], *, symbols: bool, paths: bool
) -> list[str]:
    """Names and paths of the index as it is: nobody waits for it to be brought up to date."""
    from satchel.cli import options
    from satchel.store.reading.completions import names_and_paths

    if not (paths or (symbols and current)):
        return []
    try:
        root, index = _root_and_index(environment)
        start = options.from_here(root, current) if paths else None
        names, below = names_and_paths(index, current if symbols else "", start, _MOST * _SHARING)
    except (SatchelError, OSError):
        return []
    # What was typed stays as it is, and the rest of the path follows.
    found = [*names, *(current + path[len(start or "") :] for path in below)]
    return [word for word in found if _SAFE.fullmatch(word)][:_MOST]


def _root_and_index(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """The root around here and the folder of its index. Raises: SatchelError."""
    from satchel.cli import served
    from satchel.workspace.state.index_place import place_around

    # A shell waits for this with every key, so the settings are read only if there is no other way.
    place = place_around(str(served.here()), environment)
    if place is not None:
        return Path(place.root), Path(place.folder)
    from satchel.cli import options
    from satchel.workspace.project import Project

    project = Project.at(options.root_of(None, environment), environment)
    return project.root, project.directory
