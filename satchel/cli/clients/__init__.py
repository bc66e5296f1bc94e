"""Configuration files of MCP clients, read and edited in place."""
