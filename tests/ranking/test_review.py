"""`context --diff`: the working tree against a commit; changed functions first, then users."""

import subprocess
from pathlib import Path

import pytest

from tests.support.satchel import satchel

BODY = "".join(f"    total = total + {n}  # some work of its own\n" for n in range(60))
FILES = f"""
//- shop/stock.py
def other(total):
{BODY}    return total


def reserve(thing):
    return thing


def untouched(total):
{BODY}    return total
//- shop/orders.py
from shop.stock import reserve


def checkout(order):
    reserve(order)
//- shop/gone.py
def gone():
    return 1
//- tests/test_stock.py
from shop.stock import reserve


def test_reserve():
    assert reserve(1) == 1
//- shop/unrelated.py
def weather():
    return "fine"
"""


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    subprocess.run(("git", *identity, *arguments), cwd=root, check=True, capture_output=True)


@pytest.fixture
def changed(project) -> Path:
    root = project(FILES)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    stock = root / "shop/stock.py"
    stock.write_text(stock.read_text("utf-8").replace("return thing", "return thing or None"))
    (root / "shop/gone.py").unlink()
    (root / 'shop/new "é.py').write_text("def brand_new():\n    return reserve(2)\n", "utf-8")
    return root


def test_hunks_come_first_then_what_changed_with_its_callers_and_tests(changed: Path):
    text = satchel("context", "--diff", "--budget", "600", "--quiet", cwd=changed).stdout.decode()
    assert "-    return thing\n+    return thing or None\n" in text
    assert "def brand_new():" in text
    assert "calls reserve" in text
    assert "reserve(order)" in text
    assert "assert reserve(1) == 1" in text
    assert "total + 30" not in text, "functions that did not change have no room here"
    assert "weather" not in text
    assert "-def gone():\n-    return 1\n" in text
    assert "renamed" not in text, "what is gone and what is new have no line in common"


def test_a_question_can_go_with_it_and_an_older_revision(changed: Path):
    git(changed, "add", ".")
    git(changed, "commit", "-qm", "second")
    reply = satchel("context", "--diff", "--quiet", cwd=changed)
    assert reply.returncode == 2
    assert b"nothing has changed since HEAD" in reply.stderr
    reply = satchel("context", "--diff", "HEAD~1", "--path", "docs", "--quiet", cwd=changed)
    assert (reply.returncode, reply.stdout) == (2, b"")
    assert b"nothing has changed since HEAD~1 in docs\n" in reply.stderr
    reply = satchel("context", "is it safe?", "--diff", "HEAD~1", "--quiet", cwd=changed)
    assert b"return thing or None" in reply.stdout
    reply = satchel("context", "--diff", "--upload-pack=touch owned", "--quiet", cwd=changed)
    assert reply.returncode == 2
    assert not (changed / "owned").exists()


def test_a_user_too_long_to_be_shown_whole_fills_what_is_left(project):
    calls = "".join(f"    step_{n} = order + {n}\n" for n in range(90))
    root = project(
        "//- stock.py\ndef reserve(thing):\n    return thing\n//- orders.py\n"
        f"from stock import reserve\n\n\ndef checkout(order):\n    reserve(order)\n{calls}"
    )
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    (root / "stock.py").write_text("def reserve(thing):\n    return thing or None\n", "utf-8")
    pack = satchel("context", "--diff", "HEAD", "--budget", "500", cwd=root).stdout.decode()
    used = int(pack.rstrip().rpartition("[satchel]")[2].split("/500 tokens")[0].split()[-1])
    assert "def checkout(order):\n    reserve(order)\n" in pack
    assert 350 <= used <= 500


CLOCKS = """
//- app/clock.py
class Clock:
    def start(self):
        return 1

    def cancel(self):
        return 0

    def stop(self):
        return 2
//- app/engine.py
from app.clock import Clock


class Engine:
    def __init__(self):
        self.clock = Clock()

    def close(self):
        self.clock.cancel()
//- app/job.py
class Job:
    def close(self, task):
        task.cancel()
"""


def test_users_of_a_removed_method_are_shown_where_their_file_uses_its_file(project):
    root = project(CLOCKS)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    clock = root / "app/clock.py"
    clock.write_text(
        clock.read_text("utf-8").replace("    def cancel(self):\n        return 0\n\n", "")
    )
    done = satchel("context", "--diff", "HEAD", "--budget", "2000", "--quiet", cwd=root)
    text = done.stdout.decode()
    assert "Engine.close uses cancel, removed here" in text
    assert "task.cancel()" not in text
    assert "changed here" not in text  # neither of the methods around it


def test_a_renamed_file_is_told_as_renamed_with_what_changed_in_it(changed: Path):
    git(changed, "checkout", "-q", "--", ".")
    git(changed, "mv", "shop/stock.py", "shop/store.py")
    store = changed / "shop/store.py"
    store.write_text(store.read_text("utf-8").replace("return thing", "return thing or None"))
    text = satchel("context", "--diff", "--budget", "900", "--quiet", cwd=changed).stdout.decode()
    assert "note: renamed: shop/stock.py to shop/store.py" in text
    assert "-    return thing\n+    return thing or None\n" in text
    assert "removed" not in text
    assert "checkout uses reserve, moved to shop/store.py" in text


def test_a_file_that_was_only_renamed_is_a_change_as_well(changed: Path):
    git(changed, "checkout", "-q", "--", ".")
    (changed / 'shop/new "é.py').unlink()
    git(changed, "mv", "shop/stock.py", 'shop/"é.py')
    text = satchel("context", "--diff", "--quiet", cwd=changed).stdout.decode()
    assert 'renamed: shop/stock.py to shop/"é.py' in text
    assert "checkout uses reserve, moved to" in text
