"""Tensor operations that networks are made of, and their compiled loops."""
