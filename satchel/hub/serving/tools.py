"""The ten tools of a hub, in the order of `tools/list`."""

from __future__ import annotations

from satchel.hub.serving import code_tools, knowledge_tools

TOOLS = (*code_tools.TOOLS, *knowledge_tools.TOOLS)
