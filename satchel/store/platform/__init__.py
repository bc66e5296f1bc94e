"""What operating systems do differently, one file a concern."""
