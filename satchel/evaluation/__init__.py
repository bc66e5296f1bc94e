"""How much do packs show of a repository's own fixes? Mines its history, asks, compares, tunes."""
