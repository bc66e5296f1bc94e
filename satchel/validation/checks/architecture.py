"""Checks the team's rules about what may use what; see `assembler.graph.layers`."""

from collections.abc import Iterator

from satchel.assembler.graph.layers import read_rules, unknown, violations
from satchel.assembler.graph.modules import module_graph
from satchel.store.counted import counted
from satchel.store.errors import ConfigError
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Severity


def ruled(context: CheckContext) -> Iterator[Finding]:
    """No file uses another against a rule, and every path that a rule names is there."""
    texts = context.project.settings.architecture.rules
    if not texts:
        return
    try:
        rules = read_rules(texts)
    except ConfigError as error:
        yield Finding(Severity.WARNING, "", 0, error.message, error.hint)
        return
    modules = module_graph(context.snapshot)
    for one in violations(modules, rules):
        uses = counted(one.uses, "use")
        message = f"{one.source} uses {one.target} ({uses}) against {one.rule!r}"
        yield Finding(Severity.WARNING, one.path, one.line, message)
    for path in unknown(modules, rules):
        yield Finding(Severity.WARNING, "", 0, f"no module lies at {path!r}, which a rule names")
