"""How do agents talk to Satchel? Tools, resources and prompts over the Model Context Protocol."""
