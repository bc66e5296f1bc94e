"""From a tree of files to an index: walks it, parses files into facts, resolves references."""
