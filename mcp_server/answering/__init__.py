"""Questions computed in processes of their own, forked from one that has everything read."""
