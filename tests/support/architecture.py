"""The map of docs/ARCHITECTURE.md as rules over syntax trees, so that the map is a test.

A rule names who may do what; an exception to it is a file named here, with its reason. Where a
list names a folder ("store/"), every file in it qualifies. Paths are relative to the repository.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 60

MAY_IMPORT = {
    "store": set(),
    "indexer": {"store"},
    "assembler": {"store"},
    "knowledge": {"store", "assembler"},
    "workspace": {"store", "indexer", "assembler", "knowledge"},
    "validation": {"store", "indexer", "assembler", "knowledge", "workspace"},
    "cli": {"store", "indexer", "assembler", "knowledge", "workspace", "validation", "mcp_server"},
    "mcp_server": {"store", "indexer", "assembler", "knowledge", "workspace", "validation"},
}
OURS = {*MAY_IMPORT, "bench", "tests"}

CONNECTED = ("refresh", "plan", "pending", "derive", "naming", "tables", "encode", "mend")
THIRD_PARTY = {
    # Those of the indexer are handed a connection; the keeper holds the owner's.
    "apsw": (
        "store/",
        "knowledge/",
        *(f"indexer/{n}.py" for n in CONNECTED),
        "satchel/workspace/serving/keeper.py",
    ),
    "chromadb": ("store/",),
    "msgspec": (
        *("store/", "indexer/", "knowledge/", "validation/", "cli/"),
        *("satchel/workspace/pack_log.py", "satchel/workspace/share.py"),  # questions kept on disk; a manifest
    ),
    "rapidfuzz": ("satchel/knowledge/ranking/signals.py",),
    "zstandard": ("satchel/store/codec.py",),
    "networkx": ("assembler/packing/expand.py",),
    "numpy": (
        *("store/", "indexer/extract/chunk.py", "indexer/extract/source.py", "indexer/encode.py"),
        *("satchel/knowledge/ranking/tool_affinity.py", "satchel/knowledge/storage/vectors.py"),
        *(
            f"assembler/{name}.py"
            for name in ("lexical", "folders", "candidates", "rank", "weights")
        ),
        *("satchel/validation/checks/search.py", "satchel/validation/checks/mirror.py"),
        *(f"workspace/{name}.py" for name in ("remote", "encoders", "known_vectors")),
    ),
    "sentence_transformers": ("satchel/workspace/vectors/encoders.py",),
    "tiktoken": ("satchel/store/tokens.py",),
    "tqdm": ("satchel/cli/terminal.py",),
    # Below parse.py: those that name the type of the nodes they are handed.
    "tree_sitter": tuple(
        f"indexer/{n}.py" for n in ("parse", "uses", "definitions", "drafts", "flows")
    ),
    "tree_sitter_language_pack": ("indexer/extract/parse.py",),
    "watchdog": ("indexer/watch.py",),
    "mcp": ("mcp_server/",),
    "opentelemetry": ("mcp_server/telemetry.py",),
    "tomlkit": ("satchel/cli/clients/client_files.py",),
    "mcp_types": ("mcp_server/",),
    "anyio": ("mcp_server/",),
    "starlette": ("mcp_server/transport/http.py",),
    "uvicorn": ("mcp_server/transport/http.py",),
}
STANDARD = {
    "argparse": ("cli/",),
    # These read a date somebody wrote, not the clock.
    "datetime": ("satchel/workspace/history.py", "satchel/knowledge/timestamps.py"),
    "fcntl": ("satchel/workspace/lock.py",),
    "http": ("satchel/workspace/vectors/http_encoder.py",),  # the one file that can reach an endpoint
    "random": (),
    "resource": ("indexer/extract/worker.py",),
    "signal": ("indexer/extract/worker.py", "satchel/cli/commands/serve.py"),  # deadlines; to end while input blocks
    "socket": ("satchel/workspace/serving/channel.py",),
    "sqlite3": (),
    "subprocess": (
        "indexer/extract/pool.py",
        "indexer/scan/git_checkout.py",
        "mcp_server/gateway/relay.py",
    ),  # workers, git, upstreams
    # Beyond the clock of a refresh: patience with a call, what each check took.
    "time": (
        "workspace/",
        "mcp_server/serving.py",
        "mcp_server/transport/probe.py",
        "satchel/cli/commands/doctor.py",
        "satchel/validation/validate.py",
        "satchel/knowledge/storage/database.py",  # waits where SQLite does not
        "mcp_server/gateway/mounted_tools.py",
        "mcp_server/gateway/relay.py",
    ),
    # To take escapes out of an address, to fetch a packed index, to read and to ask an endpoint.
    "urllib": (
        "mcp_server/resources.py",
        *(f"workspace/{name}.py" for name in ("share", "encoders", "remote")),
    ),
}
NAMES = {
    # BLAS reads it when numpy is loaded; git is run in a cleaned environment.
    "os.environ": ("satchel/cli/__init__.py", "satchel/cli/main.py", "indexer/scan/git_checkout.py"),
    "os.getenv": (),
    "os.getcwd": (),
    "Path.cwd": ("satchel/cli/options.py", "satchel/cli/commands/reindex.py", "satchel/cli/commands/config.py"),
    "Path.home": (),
}
IMPURE = {"io", "os", "pathlib.Path", "shutil", "sys", "tempfile", "threading", "uuid"}
"""What the assembler may not import either: it is given values and gives values back."""


def violations(root: Path) -> list[str]:
    """Every breach of the rules under `root`, as "path: what", by path and line."""
    found: list[str] = []
    for package in MAY_IMPORT:
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            text = path.read_text(encoding="utf-8")
            found += [f"{name}: {problem}" for problem in _problems(name, text)]
    return found


def _problems(name: str, text: str) -> Iterator[str]:
    tree = ast.parse(text)
    if not ast.get_docstring(tree):
        yield "no module docstring"
    if (n_lines := text.count("\n")) > MAX_FILE_LINES:
        yield f"{n_lines} lines, at most {MAX_FILE_LINES}"
    for node in ast.walk(tree):
        yield from _shape(node)
        for module in _imported(node):
            yield from _import(name, module)
        if isinstance(node, ast.Attribute) and not _allowed(name, NAMES.get(ast.unparse(node))):
            yield f"line {node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "open":
            yield f"line {node.lineno}: open()"


def _shape(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Global):
        yield f"line {node.lineno}: global {', '.join(node.names)}"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if n_lines > MAX_FUNCTION_LINES:
            yield f"line {node.lineno}: {node.name}() has {n_lines} lines"


def _imported(node: ast.AST) -> Iterable[str]:
    """Dotted names of what a statement imports: `from a.b import c` gives a.b.c."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        return [f"{module}.{alias.name}" for alias in node.names]
    return ()


def _import(name: str, module: str) -> Iterator[str]:
    package, top = name.split("/")[0], module.split(".")[0]
    if not top:
        yield f"relative import of {module}"
    elif top in OURS:
        if top != package and top not in MAY_IMPORT[package]:
            yield f"{package} may not import {top} ({module})"
    elif top in sys.stdlib_module_names:
        if not _allowed(name, STANDARD.get(top)):
            yield f"{top} is not imported here"
        if package == "assembler" and IMPURE & {top, module}:
            yield f"{module} in pure code"
    elif not _allowed(name, THIRD_PARTY.get(top, ())):
        yield f"third-party {top} is not imported here"


def _allowed(name: str, places: tuple[str, ...] | None) -> bool:
    return places is None or name.startswith(places)
