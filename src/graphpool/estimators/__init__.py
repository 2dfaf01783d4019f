"""Estimators in scikit-learn style."""
