"""Places that a question names, pastes or changes, and what a pack must show of them."""
