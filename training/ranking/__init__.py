"""A ranking learned from fixes: mined, measured, fitted."""
