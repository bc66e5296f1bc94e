"""Other MCP servers, mounted behind ours."""
