"""Search and packs measured on public repositories with labelled questions."""
