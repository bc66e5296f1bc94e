"""Where the index and the knowledge of a checkout lie, and how a checkout is recognised."""
