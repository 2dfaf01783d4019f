"""Arrangement sets: classes that differ only in how communities are arranged."""
