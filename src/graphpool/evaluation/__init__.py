"""Evaluation: protocols, baselines, and what their accuracies say and don't say."""
