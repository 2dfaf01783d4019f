"""Trained models: fit, predict, score, save, load, report."""
