"""The compose file and the proxies of the guide, as far as they can be held against the code."""

import re
import shlex
from pathlib import Path

import yaml

from satchel.cli import command_line
from satchel.hub.serving import webhooks
from satchel.mcp_server.transport import http
from tests.support.satchel import ROOT

FOLDER = ROOT / "ci/hub"
GUIDE = (ROOT / "docs/TEAM.md").read_text("utf-8")


def test_the_compose_file_names_what_there_is() -> None:
    read = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
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


def test_the_proxies_pass_what_the_server_answers() -> None:
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    [caddy] = re.findall(r"^caddy reverse-proxy (.*)$", GUIDE, re.MULTILINE)
    in_compose = compose["services"]["proxy"]["command"][2:]
    to = f"{http.HOST}:8765"
    for words in (shlex.split(caddy), in_compose):
        assert words[words.index("--to") + 1] == to
        # The server answers its own name alone.
        assert "--change-host-header" in words
    nginx = re.search(r"```nginx\n(.*?)```", GUIDE, re.DOTALL)
    assert nginx is not None
    text = nginx[1]
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
