"""A process between us and an upstream server: passes its output on while that keeps its bounds.

Started by `mcp_server.gateway.upstreams` with a command and its arguments as its own. A line longer
than a message may be, or more bytes in a second than anybody could mean, ends the upstream; ours
then sees a closed pipe, not a memory that fills up. Input is inherited.
"""

import os
import subprocess
import sys
import time

MAX_LINE_BYTES = 4_000_000
MAX_BYTES_A_SECOND = 16_000_000
_CHUNK = 65_536


def main() -> int:
    """Run the command in our arguments until it ends or misbehaves.

    Returns its exit code, or 1.
    """
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE) as child:
        # Only output passes through us. The child inherits our input, so what the client sends
        # needs no copy.
        assert child.stdout is not None
        try:
            if _pass_on(child.stdout.fileno()):
                return child.wait()
        # Satchel closed its end, so nobody wants the upstream any more and it is ended like one
        # that misbehaves.
        except BrokenPipeError:
            pass
        # The kill comes inside `with`, which waits for the child: it is reaped before we end.
        child.kill()
        return 1


def _pass_on(source: int) -> bool:
    """Copy to standard output; False when it is too much."""
    line, spent, second = 0, 0, time.monotonic()
    while chunk := os.read(source, _CHUNK):
        # A line may span many chunks, so its length is counted and its bytes are never gathered.
        last = chunk.rfind(b"\n")
        line = line + len(chunk) if last < 0 else len(chunk) - last - 1
        now = time.monotonic()
        # The clock is monotonic: one that is set back would stretch the second in which bytes are
        # counted.
        spent, second = (0, now) if now - second >= 1 else (spent, second)
        spent += len(chunk)
        if line > MAX_LINE_BYTES or spent > MAX_BYTES_A_SECOND:
            return False
        # A write to a pipe may take only a part of the bytes, and a view cuts off that part without
        # a copy.
        view = memoryview(chunk)
        while view:
            view = view[os.write(1, view) :]
    return True
