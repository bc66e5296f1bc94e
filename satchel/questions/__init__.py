"""What can be asked, each question once: its request, its answer over a view, its reply as text."""
