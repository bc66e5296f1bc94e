"""A report as JUnit XML: a test case a check, as GitLab, Jenkins and Azure show it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from satchel.assembler.render import clean
from satchel.validation.model import Outcome, Report, Severity

# Characters that XML 1.0 cannot hold, escaped or not.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """The report as one JUnit document."""
    seconds = sum(outcome.seconds for outcome in report.outcomes)
    n_failed = sum(_fails(outcome) for outcome in report.outcomes)
    suite = ElementTree.Element(
        "testsuite", name="satchel validate", tests=str(len(report.outcomes)),
        failures=str(n_failed), errors="0", skipped="0", time=f"{seconds:.3f}",
    )  # fmt: skip
    for outcome in report.outcomes:
        suite.append(_case(outcome))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def _fails(outcome: Outcome) -> bool:
    return any(finding.severity != Severity.INFO for finding in outcome.findings)


def _case(outcome: Outcome) -> ElementTree.Element:
    check = outcome.check
    case = ElementTree.Element(
        "testcase", classname="satchel.validate", name=f"{check.code} {check.meaning}",
        time=f"{outcome.seconds:.3f}",
    )  # fmt: skip
    lines = [
        _FORBIDDEN.sub("\ufffd", clean(f"{f.severity} {f.path}:{f.line} {f.message} {f.hint}"))
        for f in outcome.findings
    ]
    if _fails(outcome):
        failure = ElementTree.SubElement(case, "failure", message=lines[0], type=check.name)
        failure.text = "\n".join(lines)
    elif lines:
        ElementTree.SubElement(case, "system-out").text = "\n".join(lines)
    return case
