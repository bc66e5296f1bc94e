"""The call graph as a networkx graph: paths, cycles, layers, communities, ranks, dead code."""
