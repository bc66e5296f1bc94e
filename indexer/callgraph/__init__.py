"""From the facts of all files to call graph edges: which definition each use means."""
