"""The data of the Health page: the state of the index, live, and the results of checks."""

from collections.abc import AsyncIterator
from threading import Event

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from satchel.api import CodeBase
from satchel.store.errors import Interrupted
from satchel.ui.api_calls import SharedCodeBase, encoded, own_answer, reply, request_body
from satchel.ui.pulse import Pulse
from satchel.validation.model import Report


class _Check(Struct, frozen=True):
    """What to check: a level, as `CodeBase.validate` takes it."""

    level: str = "quick"


class _Finding(Struct, frozen=True):
    """A finding, what its check promises, and the least that makes it go away."""

    code: str
    name: str
    meaning: str
    remedy: str
    severity: str
    path: str
    line: int
    message: str
    hint: str


class _Checked(Struct, frozen=True):
    """The result of a validation."""

    level: str
    generation: int
    files: int
    n_checks: int
    n_known: int
    seconds: float
    findings: list[_Finding]


async def _status(request: Request) -> Response:
    return reply(await own_answer(request, CodeBase.status))


async def _events(request: Request) -> Response:
    """Server-sent events: how the index stands, now and whenever that changes."""
    pulse: Pulse = request.app.state.pulse

    async def stream() -> AsyncIterator[bytes]:
        async for beat in pulse.listen():
            yield b"data: " + encoded(beat) + b"\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


async def _validate(request: Request) -> Response:
    asked = await request_body(request, _Check)
    pulse: Pulse = request.app.state.pulse
    shared: SharedCodeBase = request.app.state.checks
    # A flag of its own for each run: ending one does not end the next.
    cancelled = request.app.state.cancelled = Event()

    def on_check(name: str) -> None:
        if cancelled.is_set():
            # Raised between two checks, where nothing is half done.
            raise Interrupted("the checks were cancelled", "run them again when you like")
        pulse.checking = name

    try:
        report = await shared.ask(lambda code: code.validate(asked.level, on_check))
    finally:
        pulse.checking = ""
    return reply(_checked(report))


async def _cancel(request: Request) -> Response:
    """End a validation before its next check."""
    cancelled: Event | None = getattr(request.app.state, "cancelled", None)
    if cancelled is not None:
        cancelled.set()
    return reply({"ok": True})


def _checked(report: Report) -> _Checked:
    findings = [
        _Finding(
            found.code, outcome.check.name, outcome.check.meaning, outcome.check.remedy,
            found.severity, found.path, found.line, found.message, found.hint,
        )
        for outcome in report.outcomes
        for found in outcome.findings
    ]  # fmt: skip
    return _Checked(
        report.level.name.lower(), report.generation, report.files, len(report.outcomes),
        sum(outcome.known for outcome in report.outcomes),
        sum(outcome.seconds for outcome in report.outcomes), findings,
    )  # fmt: skip


ROUTES = (
    ("GET", "/api/status", _status),
    ("GET", "/api/events", _events),
    ("POST", "/api/validate", _validate),
    ("POST", "/api/validate/cancel", _cancel),
)
