"""`python -m tests.support.vendor` fetches the libraries of the page, pinned, by way of npm.

They lie in satchel/ui/static/vendor, each with its licence; PACKAGES.json there says what they are.
Nobody who installs Satchel runs this.
"""

import base64
import hashlib
import json
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).parents[2] / "satchel" / "ui" / "static" / "vendor"
LANGUAGES = (
    "asciidoc bash c cmake cpp csharp css dockerfile elixir erb go graphql haskell ini java"
    " javascript json kotlin latex lua makefile markdown php protobuf python ruby rust scala scss"
    " sql swift typescript xml yaml"
).split()
PACKAGES: tuple[dict[str, Any], ...] = (
    {
        "name": "@highlightjs/cdn-assets",
        "version": "11.12.0",
        "licence": "BSD-3-Clause",
        "integrity": "sha512-KvOKXODaiFmId9xaq3xc5xCL66wVLUuOngDbO9B/kewbFTqdGbn2nJxNhN3H5R1cgDTV"
        "j6R8vH0zgiNDEGjpDw==",
        "folder": "highlight",
        "files": [
            "LICENSE",
            "es/core.min.js",
            *(f"es/languages/{name}.min.js" for name in LANGUAGES),
        ],
    },
)


def main() -> None:
    """Fetch every package, hold it against its digest, and write its files."""
    record = []
    for package in PACKAGES:
        files = {}
        for name, data in _fetched(package).items():
            target = VENDOR / package["folder"] / name.removeprefix("es/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            files[target.relative_to(VENDOR).as_posix()] = hashlib.sha256(data).hexdigest()
        known = {key: package[key] for key in ("name", "version", "licence", "integrity")}
        record.append({**known, "files": files})
    text = json.dumps(record, indent=1) + "\n"
    (VENDOR / "PACKAGES.json").write_text(text, encoding="utf-8")


def _fetched(package: Mapping[str, Any]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        wanted = f"{package['name']}@{package['version']}"
        subprocess.run(["npm", "pack", "--silent", wanted], cwd=folder, check=True)
        [archive] = Path(folder).glob("*.tgz")
        data = archive.read_bytes()
        digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
        if f"sha512-{digest}" != package["integrity"]:
            raise SystemExit(f"{wanted} is not what it was: its digest is sha512-{digest}")
        with tarfile.open(archive) as opened:
            members = {name: opened.extractfile(f"package/{name}") for name in package["files"]}
            return {name: member.read() for name, member in members.items() if member}


if __name__ == "__main__":
    main()
