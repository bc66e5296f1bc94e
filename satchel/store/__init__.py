"""What do we know, and where is it kept? The shared vocabulary and the one on-disk format."""
