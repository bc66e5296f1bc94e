"""Programs of others end within their bounds, and what they started ends with them."""

import os
import sys
import time

import psutil
import pytest

from satchel.store.platform import programs
from satchel.store.platform.programs import Bounds, Finished

_LONG_S = 300.0
"""Nothing here takes so long, on however busy a machine."""


def _python(code: str, bounds: Bounds, stdin: bytes = b"") -> Finished | None:
    return programs.run([sys.executable, "-c", code], bounds, os.environ, stdin)


def test_a_program_is_fed_and_heard_on_both_streams():
    code = "import sys; d = sys.stdin.read(); print(len(d)); print(d, end='', file=sys.stderr); 1/0"
    done = _python(code, Bounds(_LONG_S), b"x" * 1_000_000)
    assert done is not None and done.code == 1
    assert done.output == b"1000000\n"
    assert done.errors.endswith(b"ZeroDivisionError: division by zero\n")
    assert len(done.errors) <= 64 << 10, "of errors the end is kept"


def test_one_that_does_not_read_what_it_is_told_is_no_error():
    assert _python("print(1)", Bounds(_LONG_S), b"x" * 1_000_000) == Finished(0, b"1\n", b"")


def test_one_that_is_missing_or_goes_beyond_its_bounds_gives_nothing():
    missing = programs.run(["no-such-program-at-all"], Bounds(_LONG_S), os.environ)
    assert missing is None or missing.code == 127  # what a shell says
    assert _python("print('x' * 10_000_000)", Bounds(_LONG_S, output_bytes=1_000_000)) is None
    assert _python("import time; time.sleep(3_000)", Bounds(0.5)) is None


def test_what_a_program_started_ends_with_it():
    code = (
        "import subprocess, sys; c = subprocess.Popen([sys.executable, '-c',"
        " 'import time; time.sleep(3_000)  # of-a-program']); c.wait()"
    )
    assert _python(code, Bounds(5.0)) is None
    deadline = time.monotonic() + _LONG_S
    while any("of-a-program" in " ".join(p.info["cmdline"] or ()) and p.info["status"] != "zombie"
              for p in psutil.process_iter(["cmdline", "status"])):  # fmt: skip
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not hold to the limit")
def test_memory_is_limited_for_a_program_and_for_what_it_starts():
    eat = "x = bytearray(400 << 20)"
    code = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {eat!r}]))"
    for tried in (eat, code):
        done = _python(tried, Bounds(_LONG_S, memory_bytes=200 << 20))
        assert done is not None and done.code and b"MemoryError" in done.errors
        done = _python(tried, Bounds(_LONG_S, memory_bytes=800 << 20))
        assert done is not None and not done.code
