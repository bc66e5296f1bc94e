"""Which project, which settings, who owns the index? What a process keeps in memory lies here."""
