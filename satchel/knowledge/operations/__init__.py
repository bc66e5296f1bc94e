"""What can be done with knowledge: remember, revise, recall and the rest, a module each."""
