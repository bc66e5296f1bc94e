"""The commands: their arguments, and what each of them runs."""
