"""The call graph measured against compilers and against graphs drawn by others."""
