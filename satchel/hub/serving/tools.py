"""The ten tools of a hub, in the order of `tools/list`."""

from __future__ import annotations

from satchel.hub.serving import knowledge_tools
from satchel.hub.serving.tool import of_hub
from satchel.mcp_server.tools import code_tools, survey_tools

TOOLS = (*of_hub((*code_tools.TOOLS, *survey_tools.TOOLS)), *knowledge_tools.TOOLS)
