"""Satchel packs the right code into the tokens you have.

    import satchel

    with satchel.open("path/to/checkout") as code:
        print(code.context("how are retries scheduled", budget=4096).text)

`docs/API.md` describes everything that is listed in `__all__`. Names are loaded when they are
first used, so that `import satchel` alone costs next to nothing.
"""

TYPE_CHECKING = False  # `typing` costs more than all of the rest; type checkers know the name
if TYPE_CHECKING:
    from satchel.api import CodeBase, open
    from satchel.assembler.kinds import Scope
    from satchel.assembler.lookup.dependencies import Dependencies
    from satchel.assembler.lookup.symbols import Lookup
    from satchel.assembler.survey.changes import Changes
    from satchel.assembler.survey.overview import Overview
    from satchel.assembler.values import ContextPack, Excerpt, Receipt, Scored, SearchReply
    from satchel.code_bases import CodeBases, open_workspace
    from satchel.indexer.refresh_values import RefreshReport
    from satchel.knowledge.replies import Reply
    from satchel.questions.context import ByHand
    from satchel.store.errors import SatchelError
    from satchel.validation.model import Report

# Listed twice, since the names above exist for type checkers alone and these are read at run time.
__all__ = [
    "ByHand",
    "Changes",
    "CodeBase",
    "CodeBases",
    "ContextPack",
    "Dependencies",
    "Excerpt",
    "Lookup",
    "Overview",
    "Receipt",
    "RefreshReport",
    "Reply",
    "Report",
    "SatchelError",
    "Scope",
    "Scored",
    "SearchReply",
    "open",
    "open_workspace",
]

_DEFINED_IN = {
    "ByHand": "satchel.questions.context",
    "Changes": "satchel.assembler.survey.changes",
    "CodeBase": "satchel.api",
    "CodeBases": "satchel.code_bases",
    "ContextPack": "satchel.assembler.values",
    "Dependencies": "satchel.assembler.lookup.dependencies",
    "Excerpt": "satchel.assembler.values",
    "Lookup": "satchel.assembler.lookup.symbols",
    "Overview": "satchel.assembler.survey.overview",
    "Receipt": "satchel.assembler.values",
    "RefreshReport": "satchel.indexer.refresh_values",
    "Reply": "satchel.knowledge.replies",
    "Report": "satchel.validation.model",
    "SatchelError": "satchel.store.errors",
    "Scope": "satchel.assembler.kinds",
    "Scored": "satchel.assembler.values",
    "SearchReply": "satchel.assembler.values",
    "open": "satchel.api",
    "open_workspace": "satchel.code_bases",
}


def __getattr__(name: str) -> object:
    if name not in _DEFINED_IN:
        raise AttributeError(f"module 'satchel' has no attribute {name!r}")
    # Imported here, since `import satchel` must stay cheap for completion in a shell.
    from importlib import import_module

    found: object = getattr(import_module(_DEFINED_IN[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
