"""What files were at an earlier time: by git, or by the index's own record."""
