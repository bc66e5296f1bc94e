"""Which ranked code is shown, and how much of it, within a budget of tokens."""
