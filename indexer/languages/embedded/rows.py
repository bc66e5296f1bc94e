"""The languages of components, one row each; see `satchel.indexer.languages.spec`."""

from collections.abc import Callable

from satchel.indexer.languages.conventions import (
    COMPONENT_NAMES,
    ECMASCRIPT_FUNCTIONS,
    ECMASCRIPT_IMPORTS,
    ECMASCRIPT_TESTS,
)
from satchel.indexer.languages.embedded import components
from satchel.indexer.languages.spec import Language, VisibilityRule


def _row(name: str, prepare: Callable[[bytes], bytes]) -> Language:
    return Language(
        name,
        (f".{name}",),
        grammar="typescript",
        query="component+ecmascript+typescript",
        prepare=prepare,
        visibility=VisibilityRule.EXPORT,
        self_names=("this",),
        constructors=("constructor",),
        implicit_receiver=False,
        family="javascript",
        names=COMPONENT_NAMES,
        tests=ECMASCRIPT_TESTS,
        functions=ECMASCRIPT_FUNCTIONS,
        import_statements=ECMASCRIPT_IMPORTS,
    )


COMPONENTS: tuple[Language, ...] = (
    _row("vue", components.of_vue),
    _row("svelte", components.of_svelte),
    _row("astro", components.of_astro),
)
