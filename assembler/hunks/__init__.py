"""The hunks of a diff: what each changes, which of them a pack shows, and what they require."""
