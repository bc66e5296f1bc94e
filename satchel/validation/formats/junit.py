"""Writes a report as JUnit XML, one test case for each check, for GitLab, Jenkins and Azure."""

import re
from xml.etree import ElementTree

from satchel.assembler.quoting import clean
from satchel.validation.model import Report

# Characters that XML 1.0 cannot hold, escaped or not.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """The report as one JUnit document."""
    seconds = sum(outcome.seconds for outcome in report.outcomes)
    n_failed = sum(outcome.failed for outcome in report.outcomes)
    suite = ElementTree.Element(
        "testsuite", name="satchel validate", tests=str(len(report.outcomes)),
        failures=str(n_failed), errors="0", skipped="0", time=f"{seconds:.3f}",
    )  # fmt: skip
    for outcome in report.outcomes:
        check = outcome.check
        case = ElementTree.Element(
            "testcase", classname="satchel.validate", name=f"{check.code} {check.meaning}",
            time=f"{outcome.seconds:.3f}",
        )  # fmt: skip
        # A check with notes alone passes; its notes are the output of its test case.
        lines = [
            _FORBIDDEN.sub("\ufffd", clean(f"{f.severity} {f.path}:{f.line} {f.message} {f.hint}"))
            for f in outcome.findings
        ]
        if outcome.failed:
            failure = ElementTree.SubElement(case, "failure", message=lines[0], type=check.name)
            failure.text = "\n".join(lines)
        elif lines:
            ElementTree.SubElement(case, "system-out").text = "\n".join(lines)
        suite.append(case)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"
