"""In which order items of knowledge are shown, and how many fit a budget."""
