"""An index as text; the logic is shipped, since validation compares by it too."""

from satchel.store.sqlite.dump import dump

__all__ = ["dump"]
