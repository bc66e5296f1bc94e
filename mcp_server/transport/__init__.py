"""How bytes reach clients: standard input and output, HTTP, and a probe from outside."""
