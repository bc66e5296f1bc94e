"""The code of what a code base depends on, as it is installed: found, indexed once, asked along."""
