"""A validation report as text, JSON, GitHub annotations, Markdown, SARIF and JUnit."""
