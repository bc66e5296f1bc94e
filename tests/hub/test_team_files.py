"""The compose file and the proxies of the guide, as far as they can be held against the code."""

import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
import yaml
from psycopg.conninfo import conninfo_to_dict

from bench.hub.team import PATIENCE_S, call, listens, message, new_database, result_of, until
from satchel.cli import command_line
from satchel.hub import access, database, repositories
from satchel.hub.database import Hub
from satchel.hub.serving import webhooks
from satchel.mcp_server.transport import http
from tests.support.satchel import COMMAND, ROOT, TIMEOUT_S

FOLDER = ROOT / "ci/hub"
GUIDE = (ROOT / "docs/TEAM.md").read_text("utf-8")


def _compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    return read


def test_the_compose_file_is_one_by_the_schema_of_compose() -> None:
    pytest.importorskip("check_jsonschema")
    folder = resources.files("check_jsonschema") / "builtin_schemas/vendor"
    schema = json.loads((folder / "compose-spec.json").read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    read = _compose()
    assert [error.message for error in validator.iter_errors(read)] == []
    read["services"]["server"]["comand"] = []
    assert list(validator.iter_errors(read)) != []


class _Services:
    """Commands of the compose file as processes of this machine, in its environment."""

    def __init__(self, server: str, folder: Path) -> None:
        self._services = _compose()["services"]
        self._folder = folder
        found = conninfo_to_dict(server)
        # Where the compose file's network would find the database, and who may enter it here.
        here = {"PGHOST": found["host"], "PGUSER": found["user"]}
        if "port" in found:
            here["PGPORT"] = found["port"]
        self.environment = {
            **os.environ, **self._services["server"]["environment"], **here,
            "HOME": str(folder),
        }  # fmt: skip
        self.scheduler = f"tcp://{http.HOST}:{_free_port()}"

    def words(self, service: str) -> list[str]:
        """What a service starts; entrypoints are programs of this installation."""
        said = self._services[service]
        words = said.get("entrypoint") or ["satchel", *said["command"]]
        words = [word.replace("tcp://scheduler:8786", self.scheduler) for word in words]
        return [str(COMMAND.parent / words[0]), *words[1:]]

    @contextmanager
    def running(self, service: str, *more: str) -> Iterator[None]:
        """A service, for as long as this lasts."""
        words = [*self.words(service), *more]
        with (self._folder / f"{service}.log").open("wb") as log:
            process = subprocess.Popen(
                words, env=self.environment, cwd=self._folder, stdout=log, stderr=log
            )
        try:
            yield
            assert process.poll() is None, (self._folder / f"{service}.log").read_text("utf-8")
        finally:
            process.terminate()
            process.wait(PATIENCE_S)

    def run(self, *words: str) -> None:
        """A command that ends, and well."""
        subprocess.run(words, env=self.environment, cwd=self._folder, check=True, timeout=TIMEOUT_S)


def _free_port() -> int:
    with socket.create_server((http.HOST, 0)) as probe:
        return int(probe.getsockname()[1])


def test_the_commands_of_the_compose_file_make_a_hub(server: str, tmp_path: Path) -> None:
    url = new_database(server, "hub")
    services = _Services(server, tmp_path)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "main.py").write_text("def only_in_one():\n    return 1\n", "utf-8")
    scheduler, port = services.scheduler.rpartition(":")[2], _free_port()
    services.run(*services.words("prepare"))
    services.run(str(COMMAND), "hub", "add", "postgresql:///hub", str(tmp_path / "one"))
    with ExitStack() as stack:
        stack.enter_context(services.running("scheduler", "--host", http.HOST, "--port", scheduler))
        for service in ("worker", "sync"):
            stack.enter_context(services.running(service))
        stack.enter_context(services.running("server", "--port", str(port)))
        with database.connected(url) as hub:
            until(lambda: all(each.built for each in repositories.repositories(hub)))
            access.grant(hub, "ann", "*")
            token = access.new_token(hub, "ann", 1)
        until(lambda: listens(port))
        address = f"http://{http.HOST}:{port}{http.PATH}"
        with httpx2.Client(timeout=PATIENCE_S) as client:
            reply = call(client, address, token, message("symbols", {"name": "only_in_one"}))
        assert "one/main.py" in result_of(reply.text)[0]


def test_the_compose_file_names_what_there_is() -> None:
    read = _compose()
    services = read["services"]
    assert set(services) == {
        "database", "prepare", "scheduler", "worker", "sync", "server", "proxy"
    }  # fmt: skip
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= set(services), name
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in read["volumes"], name
        if "build" in service:
            build = service["build"]
            assert (FOLDER / build["context"] / build["dockerfile"]).is_file()
            assert service["environment"]["PGHOST"] == "database"
        else:
            # Never what is newest on the day: that may be another major version.
            assert re.fullmatch(r"[a-z/]+:[\w.-]*\d[\w.-]*", service["image"]), name
    parser = command_line.parser()
    for name in ("prepare", "sync", "server"):
        assert parser.parse_args(services[name]["command"]).url == "postgresql:///hub"
    scheduler = services["sync"]["command"][4]
    assert scheduler in services["worker"]["entrypoint"]
    assert services["proxy"]["network_mode"] == "service:server"


def _nginx() -> str:
    [text] = re.findall(r"```nginx\n(.*?)```", GUIDE, re.DOTALL)
    return str(text)


def test_the_proxies_pass_what_the_server_answers() -> None:
    compose = _compose()
    [caddy] = re.findall(r"^caddy reverse-proxy (.*)$", GUIDE, re.MULTILINE)
    in_compose = compose["services"]["proxy"]["command"][2:]
    to = f"{http.HOST}:8765"
    for words in (shlex.split(caddy), in_compose):
        assert words[words.index("--to") + 1] == to
        # The server answers its own name alone.
        assert "--change-host-header" in words
    text = _nginx()
    assert text.count("{") == text.count("}")
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    assert all(line == "" or line[-1] in "{};" for line in lines)
    [pattern] = re.findall(r"location ~ (\S+)", text)
    for path in (http.PATH, webhooks.PATH):
        assert re.search(pattern, path)
    for path in ("/", "/session", "/api/map", "/mcpx", "/hook/x"):
        assert not re.search(pattern, path)
    assert f"proxy_pass http://{to};" in text
    # Without this it would pass its own clients' Host, and with it a path would be cut.
    assert "proxy_set_header Host" not in text
    assert Path(FOLDER / "Dockerfile").is_file()


_NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")


@pytest.mark.skipif(not (_NGINX and shutil.which("openssl")), reason="nginx is not installed")
def test_nginx_as_in_the_guide_gives_tls_to_agents(
    url: str, hub: Hub, address: str, tmp_path: Path
) -> None:
    certificate = ("-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=hub.example.org",
                   "-addext", "subjectAltName=DNS:localhost")  # fmt: skip
    made = ("-keyout", f"{tmp_path}/hub.key", "-out", f"{tmp_path}/hub.pem")
    subprocess.run(["openssl", "req", *certificate, *made], check=True, capture_output=True)
    port = _free_port()
    changes = {"listen 443": f"listen {http.HOST}:{port}", "/etc/ssl": str(tmp_path),
               f"{http.HOST}:8765": address.split("/")[2]}  # fmt: skip
    text = _nginx()
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{each}_temp_path {tmp_path}/{each};" for each in kinds)
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/errors; events {{}}"
        f" http {{ access_log off; {folders}\n{text} }}"
    )
    assert _NGINX is not None
    nginx = subprocess.Popen([_NGINX, "-c", tmp_path / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port) or nginx.poll() is not None)
        trusted = ssl.create_default_context(cafile=tmp_path / "hub.pem")
        token, secure = access.new_token(hub, "ann", 1), f"https://localhost:{port}"
        with httpx2.Client(timeout=PATIENCE_S, verify=trusted) as client:
            asked = message("symbols", {"name": "only_in_open"})
            reply = call(client, f"{secure}{http.PATH}", token, asked)
            assert "open/own.py" in result_of(reply.text)[0]
            assert call(client, f"{secure}{http.PATH}", "x", asked).status_code == 401
            # What is signed for nobody is refused by the hub, and all else by the proxy.
            assert client.post(f"{secure}{webhooks.PATH}", content=b"{}").status_code == 401
            assert client.get(f"{secure}/session").status_code == 404
    finally:
        nginx.terminate()
        nginx.wait(PATIENCE_S)
