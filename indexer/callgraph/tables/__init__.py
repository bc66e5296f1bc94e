"""What files say, in the shape that name resolution asks for."""
