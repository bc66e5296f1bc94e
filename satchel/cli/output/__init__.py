"""What commands print: text, and the JSON of `--json`."""
