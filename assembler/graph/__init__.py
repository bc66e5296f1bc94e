"""The call graph as a networkx graph: paths, cycles, layers, neighbourhoods, ranks, dead code."""
