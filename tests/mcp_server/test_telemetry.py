"""Traces leave for a collector that the user named, and only then; a repository cannot name one."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from satchel.mcp_server.app import SatchelServer
from satchel.workspace.project import Project
from tests.support.agent import asked, in_memory, over_stdio

CODE = "//- a.py\ndef wake(dog):\n    return dog\n"


class Collector:
    """A real collector's door: takes what is posted."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_args: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}/v1/traces"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    running = Collector()
    yield running
    running.close()


async def _session(client) -> str:
    return await asked(client, "symbols", name="wake")


def test_calls_are_traced_without_what_was_said(project, collector: Collector):
    environment = {"SATCHEL_TELEMETRY_ENDPOINT": collector.endpoint}
    over_stdio(project(CODE), _session, environment=environment)
    sent = b"".join(collector.bodies)
    assert b"tools/call symbols" in sent
    assert b"wake" not in sent and b"a.py" not in sent


def test_a_call_has_a_span_for_each_stage(project, collector: Collector):
    environment = {"SATCHEL_TELEMETRY_ENDPOINT": collector.endpoint}

    async def session(client) -> str:
        return await asked(client, "context", query="wake the dog")

    over_stdio(project(CODE), session, environment=environment)
    requests = [ExportTraceServiceRequest.FromString(body) for body in collector.bodies]
    spans = [
        span
        for request in requests
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    [call] = [span for span in spans if span.name == "tools/call context"]
    stages = [span for span in spans if span.parent_span_id == call.span_id]
    assert [span.name for span in stages] == ["index", "turn", "rank", "pack"]
    ends = [call.start_time_unix_nano, *(span.end_time_unix_nano for span in stages)]
    assert ends == sorted(ends) and ends[-1] <= call.end_time_unix_nano


def test_nothing_is_sent_unless_it_is_configured(project, collector: Collector):
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint.removesuffix("/v1/traces")}
    over_stdio(project(CODE), _session, environment=environment)
    assert collector.bodies == []


@pytest.mark.parametrize("is_traced", [False, True])
def test_spans_are_made_where_there_is_a_collector(project, collector: Collector, is_traced: bool):
    servers: list[SatchelServer] = []

    def over(server: SatchelServer) -> SatchelServer:
        servers.append(server)
        return server

    endpoint = {"SATCHEL_TELEMETRY_ENDPOINT": collector.endpoint} if is_traced else {}
    in_memory(project(CODE), lambda client: client.list_tools(), over=over, **endpoint)
    names = [type(each).__name__ for each in servers[0].middleware]
    # The name is the SDK's, which an update may change.
    assert ("OpenTelemetryMiddleware" in names) == is_traced


def test_a_repository_cannot_name_a_collector(project, collector: Collector):
    root: Path = project(CODE + "//- .satchel/config.toml\n[telemetry]\nendpoint = 'http://x/'")
    asked = Project.at(root, {})
    assert not asked.settings.telemetry.endpoint
    assert "telemetry.endpoint may not be set" in asked.left_out[0].problem
