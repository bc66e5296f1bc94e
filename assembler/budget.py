"""The bounds of a budget: how many tokens a reply may be asked to take, of code or of knowledge."""

MIN_BUDGET, MAX_BUDGET = 256, 32_768
