"""The protocol's own conformance suite against our server, for each revision it has a set for.

    npm install --prefix DIR node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12
    python -m bench.serving.conformance --npm DIR

The server is made by the application factory and runs over streamable HTTP in a process of its
own; the suite's named fixtures (`conformance_fixtures`) are laid over it. The suite cannot send a
bearer token, so the guard in front of the protocol is left out here; tests/mcp_server/test_http.py
has it.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import uvicorn

REVISIONS = ("2025-11-25", "2026-07-28")
NOT_OURS = ("server-tasks-",)
"""Scenarios of extensions that a server may leave out, and that ours does not declare."""
EXPECTED = Path(__file__).with_name("conformance.yml")
_START_SECONDS = 60.0


def main() -> None:
    """Run the suite, print a table, and fail unless every check passed or is expected to fail."""
    parser = argparse.ArgumentParser(description="Run the MCP conformance suite.")
    parser.add_argument("--npm", type=Path, help="where the suite's packages were installed")
    parser.add_argument("--revision", choices=REVISIONS, action="append")
    parser.add_argument("--serve", type=int, metavar="PORT", help="only serve the fixtures")
    args = parser.parse_args()
    if args.serve:
        serve(args.serve)
        return
    if args.npm is None:
        parser.error("name the folder with --npm")
    failed = [not _run(args.npm, revision) for revision in args.revision or REVISIONS]
    sys.exit(any(failed))


def serve(port: int) -> None:
    """Serve a small project with the suite's fixtures until told to end."""
    from bench.serving.conformance_fixtures import lay_over
    from bench.state import beside
    from satchel.mcp_server.app import create_server
    from satchel.mcp_server.serving import Serving
    from satchel.workspace.project import Project
    from satchel.workspace.serving.connection_limits import config

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "code"
        root.mkdir()
        (root / "a.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
        serving = Serving(Project.at(root, beside(root, SATCHEL_INDEX_WORKERS="1")))
        serving.start()
        try:
            app = lay_over(create_server(serving)).streamable_http_app()
            uvicorn.Server(config(app, port)).run()
        finally:
            serving.close()


def _run(npm: Path, revision: str) -> bool:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "bench.serving.conformance", "--serve", str(port)]
    with subprocess.Popen(command) as server, tempfile.TemporaryDirectory() as out:
        try:
            _wait(port)
            done = subprocess.run(
                [
                    *(npm / "node_modules" / "node" / "bin" / "node", npm / _SUITE, "server"),
                    *("--url", f"http://127.0.0.1:{port}/mcp", "--requirements", revision),
                    *("--expected-failures", EXPECTED, "-o", out),
                ],
                check=False,
                capture_output=True,
                text=True,
                env=os.environ | {"NO_COLOR": "1"},
            )
            _report(revision, Path(out), done)
        finally:
            server.terminate()
    return done.returncode == 0


_SUITE = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")


def _report(revision: str, out: Path, done: subprocess.CompletedProcess[str]) -> None:
    tally: Counter[str] = Counter()
    for path in sorted(out.rglob("checks.json")):
        for check in json.loads(path.read_text(encoding="utf-8")):
            if path.parent.name.startswith(NOT_OURS):
                tally["not applicable"] += 1
                continue
            tally[check["status"]] += 1
            if check["status"] in ("FAILURE", "WARNING"):
                what = check.get("errorMessage") or check.get("description", "")
                print(f"  {check['status']} {path.parent.name} {check['id']}: {what}")
    counted = ", ".join(f"{n} {status.lower()}" for status, n in sorted(tally.items()))
    print(f"{revision}: {counted}; suite exits with {done.returncode}")
    print("\n".join(f"  {line}" for line in done.stdout.splitlines()[-6:]))


def _wait(port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    main()
