"""Places: the parts of a graph that hang together, found once a set."""
