"""What should the model see, in N tokens? Reads a snapshot, ranks, expands and packs."""
