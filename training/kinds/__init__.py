"""How what a text wants is learned."""
