"""Baselines that every result stands beside."""
