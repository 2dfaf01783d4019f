"""The edit-distance methods by name, and those other than the exact search."""

from graphpool.ged.methods.registry import METHODS, Method, find_method

__all__ = ["METHODS", "Method", "find_method"]
