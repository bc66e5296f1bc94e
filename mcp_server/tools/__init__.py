"""The tools that agents call, by what they are about."""
