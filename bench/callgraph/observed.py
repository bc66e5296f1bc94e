"""What calls what when a Python program runs: the expectations of `programs`, seen and not drawn.

    python -m bench.callgraph.observed CATEGORY [--write]

Each program of `programs/python/CATEGORY.txt` is run by itself under `sys.setprofile`, and its
edges are compared with those that the file expects; `--write` puts those that were seen into the
file, and marks none as missed or wrong. They are counted as the file counts them:

- The caller is the innermost function of the program, whatever of the library lies in between. A
  lambda or comprehension belongs to the function around it, and the code of a module is the module.
- A function is called where it is called, not where its generator or coroutine goes on.
- A function that a library keeps and calls later is called from where it was handed over, which a
  run does not show: where a library lies in between, the caller may differ from what is expected.
- Functions without a name are no end of an edge. Nor are those that run without being called: by
  an attribute, by the making of a class, or for an object's text, hash or truth.

A function that runs in another thread has no caller here; the file's expectation stands for it.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType

from bench.callgraph.programs import PROGRAMS, Written, read
from bench.callgraph.pycg import Edges

NOT_CALLED = frozenset(
    f"__{name}__"
    for name in (
        "get set delete set_name getattr getattribute setattr delattr"
        " init_subclass post_init prepare class_getitem del str repr hash format bool"
    ).split()
)
_RECORD = "__record_call__"
_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Observed:
    """The calls of a run. `through` are those with a library's code between caller and callee."""

    direct: Edges
    through: Edges

    def differs(self, expected: Edges) -> list[str]:
        """What a run shows and is not expected (`+`), and what is expected and not shown (`-`)."""
        loose = {target for _, target in self.through}
        wanted = {target for _, target in expected}
        more = self.direct - expected | {e for e in self.through if e[1] not in wanted}
        less = {e for e in expected - self.direct - self.through if e[1] not in loose}
        signed = [*(("+", e) for e in more), *(("-", e) for e in less)]
        return [f"{sign} {source} -> {target}" for sign, (source, target) in sorted(signed)]


def observe(written: Written) -> Observed:
    """The calls of a program that is run in a process of its own.

    Raises:
        subprocess.CalledProcessError: the program failed.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in written.files:
            file = Path(scratch) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        paths = [path for path, _ in written.files]
        entry = next((path for path in paths if path == "main.py"), paths[-1])
        command = [
            sys.executable,
            "-c",
            "from bench.callgraph.observed import _run; _run()",
            scratch,
            entry,
        ]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, text=True, timeout=_SECONDS
        )
    direct, through = (
        frozenset((source, target) for source, target in edges)
        for edges in json.loads(done.stdout.splitlines()[-1])
    )
    return Observed(direct, through - direct)


class _Recorder:
    """Notes who calls what, of the code below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = f"{root}/"
        self.direct: set[tuple[str, str]] = set()
        self.through: set[tuple[str, str]] = set()
        self.reads: set[CodeType] = set()
        """Code of properties, which an attribute runs."""

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        """What `sys.setprofile` calls."""
        del argument
        code = frame.f_code
        is_made_elsewhere = code.co_flags & 0x2A0  # generator, coroutine, asynchronous generator
        if event == "call" and self._is_ours(code) and not is_made_elsewhere:
            self._note(frame.f_back, code)

    def made(self, function: FunctionType) -> Callable[..., object]:
        """A function whose calls make a generator or coroutine, with its calls noted."""
        import functools

        @functools.wraps(function)
        def call(*args: object, **named: object) -> object:
            self._note(sys._getframe(1), function.__code__)
            return function(*args, **named)

        return call

    def _note(self, frame: FrameType | None, code: CodeType) -> None:
        is_named = "<" not in code.co_name and not _is_body(code)
        if not is_named or code.co_name in NOT_CALLED or code in self.reads:
            return
        seen = self.direct
        while frame is not None and not self._is_ours(frame.f_code):
            frame, seen = frame.f_back, self.through
        seen.add((self._holder(frame) if frame else "", _plain(code.co_qualname)))

    def _is_ours(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self.root)

    def _holder(self, frame: FrameType) -> str:
        """The function or module that a frame's code belongs to."""
        code = frame.f_code
        parts = code.co_qualname.split(".<locals>.")
        while parts and parts[-1].startswith("<"):
            parts.pop()
        name = ".".join(parts)
        return name if name and not name.startswith("<") else Path(code.co_filename).stem


def _is_body(code: CodeType) -> bool:
    """Whether code is that of a class or a module."""
    return not code.co_flags & 0x1


def _plain(qualified: str) -> str:
    return qualified.replace(".<locals>", "")


def _run() -> None:
    """Run a program and print its edges, in a process of its own."""
    root, entry = Path(sys.argv[1]).resolve(), sys.argv[2]
    recorder = _Recorder(root)
    sys.argv = [entry]
    import builtins
    import importlib.abc
    import importlib.machinery

    setattr(builtins, _RECORD, recorder.made)

    class Loader(importlib.machinery.SourceFileLoader):
        def source_to_code(  # type: ignore[override]
            self, data: bytes, path: str, **_: object
        ) -> CodeType:
            return _compiled(data, path, recorder)

    finder = importlib.machinery.FileFinder.path_hook((Loader, [".py"]))

    def hook(folder: str) -> importlib.abc.PathEntryFinder:
        if not f"{folder}/".startswith(recorder.root):
            raise ImportError(folder)
        return finder(folder)

    sys.dont_write_bytecode = True
    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()
    sys.path.insert(0, str(root))
    file = root / entry
    code = _compiled(file.read_bytes(), str(file), recorder)
    import threading
    import types

    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.__dict__["__file__"] = str(file)
    threading.setprofile(recorder.profile)
    sys.setprofile(recorder.profile)
    try:
        exec(code, module.__dict__)
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    print("\n" + json.dumps([sorted(recorder.direct), sorted(recorder.through)]))


def _compiled(source: bytes, path: str, recorder: _Recorder) -> CodeType:
    tree = ast.parse(source)
    read: set[tuple[str, int]] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if any(_is_property(each) for each in node.decorator_list):
            read.add((node.name, node.lineno))
        if isinstance(node, ast.AsyncFunctionDef) or _yields(node):
            made = ast.Name(_RECORD, ast.Load())
            node.decorator_list.append(ast.copy_location(made, node))
    code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    _gather(code, read, recorder.reads)
    return code


def _is_property(decorator: ast.expr) -> bool:
    return bool(re.search(r"(property|\.setter|\.deleter)$", ast.unparse(decorator)))


def _yields(function: ast.FunctionDef) -> bool:
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        inner = (
            ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.GeneratorExp
        )
        if not isinstance(node, inner):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def _gather(code: CodeType, read: set[tuple[str, int]], found: set[CodeType]) -> None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            starts = {line for _, _, line in constant.co_lines() if line}
            if any(
                name == constant.co_name and line - 3 <= min(starts) <= line for name, line in read
            ):
                found.add(constant)
            _gather(constant, read, found)


def main() -> None:
    """Say where the file and the runs differ, or write down what the runs say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("category")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    path = PROGRAMS / "python" / f"{args.category}.txt"
    text = path.read_text("utf-8")
    for written in read(PROGRAMS):
        if (written.language, written.category) != ("python", args.category):
            continue
        seen = observe(written)
        print(f"{written.name}: {len(seen.direct)} + {len(seen.through)} seen")
        print("".join(f"  {line}\n" for line in seen.differs(written.expected)), end="")
        if args.write:
            text = _with_edges(text, written.name, seen.direct | seen.through)
    if args.write:
        path.write_text(text, "utf-8")


def _with_edges(text: str, name: str, edges: Edges) -> str:
    head, _, rest = text.partition(f"### {name}\n")
    program, mark, others = rest.partition("\n### ")
    kept = [line for line in program.rstrip().splitlines() if not re.match("[=~!]> ", line)]
    lines = [f"=> {source} -> {target}" for source, target in sorted(edges)]
    return f"{head}### {name}\n" + "\n".join([*kept, *lines]) + "\n" + mark + others


if __name__ == "__main__":
    main()
