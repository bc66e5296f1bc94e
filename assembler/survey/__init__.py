"""What changed, what a change may break, and what a code base is at a glance."""
