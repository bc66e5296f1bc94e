"""An upstream server for tests, run by `tests.support.warm` as a process: `upstream WORD…`.

Each word becomes a tool of that name, described by what follows a colon. `hang` never answers,
`crash` ends the process, `flood` writes without end, `loud` answers with a long text.
"""

import os
import sys
import time

from mcp.server.mcpserver import MCPServer


def _add(server: MCPServer, argument: str) -> None:
    word, _, about = argument.partition(":")

    def tool(text: str = "") -> str:
        if word == "hang":
            time.sleep(600)
        if word == "crash":
            os._exit(3)
        if word == "flood":
            while True:
                os.write(1, b"x" * 65_536)
        if word == "loud":
            return "y" * 300_000
        if word == "fail":
            raise ValueError("no")
        return f"{word} did {text}"

    server.add_tool(tool, name=word, description=about.replace("_", " ") or f"Does {word}")


def main() -> None:
    """Serve until the input ends."""
    server = MCPServer("upstream")
    for argument in sys.argv[1:]:
        _add(server, argument)
    server.run("stdio")
