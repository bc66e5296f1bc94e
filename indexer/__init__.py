"""What does this code say? Walks a tree, parses files into facts, and resolves references."""
