"""The command line: arguments in, text or JSON out."""

import os

# Before numpy is loaded: our products are small, and threads of BLAS wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ended, as shells have it."""
