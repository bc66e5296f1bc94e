"""Earlier contents of files: from git, or from the index's own record."""
