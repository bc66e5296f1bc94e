"""Secrets that lie about in code bases and homes, asked for by name."""

from __future__ import annotations

from random import Random

from bench.robustness.secret_scan import SECRETS
from tests.hostile_suite.stage import CANARY, Scene, Stage

UNMARKED = {"password assigned", "JSON web token"}
"""Nothing tells them from other text in code; see tests/validation/test_secret_scan.py."""
FILES = (
    ".env", ".env.local", ".envrc", ".netrc", ".aws/credentials", ".ssh/id_rsa", ".ssh/id_ed25519",
    ".pgpass", ".git-credentials", ".docker/config.json", ".kube/config", ".pypirc", ".my.cnf",
    "infra/terraform.tfstate", ".htpasswd", "config/master.key", ".cargo/credentials.toml",
)  # fmt: skip


def _random_part(secret: str) -> str:
    """The end of what nobody may see: of an address that is the password, not the host."""
    if "@db." in secret:
        return secret.rpartition("@")[0][-14:]
    parts = [part for part in secret.replace("\\n", "\n").split("\n") if len(part) > 30]
    return max(parts or [secret], key=len)[-14:]


def _kind(kind: str) -> Scene:
    def play(stage: Stage) -> None:
        secret = SECRETS[kind](Random(7))
        body = f"import os\n\n\ndef unlock_door():\n    key = '''{secret}'''\n    return key\n"
        stage.unpack({"door.py": body})
        random = _random_part(secret)
        for words in (("context", "unlock door"), ("search", "unlock_door", "--mode", "full")):
            shown = stage.shown(*words)
            assert random not in shown and "‹secret: " in shown, shown
        assert "return key" in shown, "the lines around it are as they are"
        found = stage.shown("validate", "--level", "standard")
        assert "V050" in found and random not in found
        stored = [p.read_bytes() for p in stage.folder.rglob("*.db*") if p.is_file()]
        assert not any(random.encode() in data for data in stored)

    return Scene(f"a {kind} in code", play, quick=kind == "RSA private key")


def _file(name: str) -> Scene:
    def play(stage: Stage) -> None:
        body = f"[default]\npassword = {CANARY}\nwake the dog\n"
        stage.unpack({name: body, "a.py": "def wake(dog):\n    return dog\n"})
        shown = stage.shown("context", f"wake dog password {name}", "--scope", "all")
        assert CANARY not in shown and "a.py" in shown
        assert f"skipped {name}: secret" in stage.shown("status", "--skipped")
        assert CANARY not in stage.asked("context", query=f"{name} password", budget_tokens=512)

    return Scene(f"{name} by its name", play)


def _history(stage: Stage) -> None:
    """What was there once comes back by `changes`, and not with its value."""
    secret = SECRETS["GitHub personal token"](Random(3))
    root = stage.clone({"a.py": f"TOKEN = '{secret}'\n\n\ndef wake():\n    return 1\n"})
    (root / "a.py").write_text("def wake():\n    return 2\n", encoding="utf-8")
    for words in (("changes", "HEAD"), ("context", "--diff", "HEAD"), ("impact", "--diff", "HEAD")):
        assert secret[4:] not in stage.shown(*words)


def _remembered(stage: Stage) -> None:
    stage.clone({"a.py": "x = 1\n"})
    for kind in sorted(SECRETS):
        # With one seed for all, what is kept of a kind without a mark would hold the others'.
        secret = SECRETS[kind](Random(f"remembered {kind}"))
        stage.asked("remember", kind="fact", summary=f"the {kind}", detail=f"it is {secret} here")
        if kind not in UNMARKED:
            assert _random_part(secret) not in stage.shown("knowledge", "export", "--private")


SCENES = (
    *(_kind(kind) for kind in SECRETS if kind not in UNMARKED),
    *(_file(name) for name in FILES),
    Scene("a secret in the history", _history),
    Scene("secrets that somebody remembers", _remembered),
)
