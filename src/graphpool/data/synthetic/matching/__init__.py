"""Pairs of random graphs that match or don't."""
