"""An index as text; the logic is shipped, since validation compares by it too."""

from store.dump import dump

__all__ = ["dump"]
