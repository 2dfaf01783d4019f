"""Distances between two graphs, level by level."""
