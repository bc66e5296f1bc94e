"""A block of imports names what a file is about and shows none of it: code comes first."""

from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.store.model import ChunkKind
from tests.support.satchel import index

SERVICE = (
    "from billing.refund import refund_invoice, refund_lines, refund_total\n" * 4
    + "\n\ndef settle(order):\n"
    + "    total = refund_invoice(order.invoice)\n" * 8
    + "    return total\n"
)
REFUND = (
    "def refund_invoice(invoice):\n"
    + "    invoice.lines = [line for line in invoice.lines if line.open]\n" * 6
    + "    return sum(line.total for line in invoice.lines)\n"
)


def test_code_comes_before_lines_that_only_import_it(project):
    root = project(f"//- billing/service.py\n{SERVICE}//- billing/refund.py\n{REFUND}")
    with index(root).snapshot() as snapshot:
        for text in (
            "refund an invoice by its lines",
            "how is the refund total of an invoice made",
        ):
            found = search(snapshot, Question(text, Scope.IMPL), 10).results
            assert [item.chunk.kind for item in found][-1] == ChunkKind.IMPORTS
            assert len(found) == 3
