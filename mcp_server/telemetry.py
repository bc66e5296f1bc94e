"""Traces of calls to a collector of the user's own, when the user's own configuration names one.

The SDK puts a span around every message: method, tool, revision, duration, whether it failed; no
argument and no answer. In that of a call are spans of its stages. Without a collector nothing is
recorded and nothing of this is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from satchel.store.errors import ConfigError
from satchel.store.version import install_command

_SECONDS = 5
"""How long sending a batch may take, and how long the end of the process waits for the last one."""


def export(endpoint: str) -> Callable[[], None]:
    """Send traces to `endpoint` (OTLP over HTTP) from now on; returns what sends the last ones.

    Raises:
        ConfigError: the exporter is not installed.
    """
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigError(
            "telemetry.endpoint is set, but the exporter is not installed",
            f"{install_command('telemetry')}, or remove the setting",
        ) from error
    provider = TracerProvider(resource=Resource({"service.name": "satchel"}))
    # The endpoint is given outright, so that no variable of the environment sends traces elsewhere.
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)

    def finish() -> None:
        provider.force_flush(_SECONDS * 1000)

    return finish


def add_stages(began: int, stages: Iterable[tuple[str, float]]) -> None:
    """Put a span for each stage into that of this call, which `began` nanoseconds after 1970."""
    from opentelemetry.trace import get_tracer

    tracer = get_tracer("satchel")
    for name, seconds in stages:
        span = tracer.start_span(name, start_time=began)
        began += int(seconds * 1_000_000_000)
        span.end(began)
