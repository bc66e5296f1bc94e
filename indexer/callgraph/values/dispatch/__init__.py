"""Dynamic dispatch: which functions may run in the place of the one that a call names."""
