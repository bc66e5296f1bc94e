"""An upstream server for tests, run as a process: `python tests/support/upstream.py WORD…`.

Each word becomes a tool of that name, described by what follows a colon. `hang` never answers,
`crash` ends the process, `flood` writes without end, `loud` answers with a long text.
"""

import os
import sys
import time

from mcp.server.mcpserver import MCPServer

server = MCPServer("upstream")


def _add(argument: str) -> None:
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


for argument in sys.argv[1:]:
    _add(argument)
server.run("stdio")
