"""Which project, which settings, who owns the index? The only mutable object lives here."""
