"""What did people and agents decide, warn of, ask and find? Kept apart from the index."""
