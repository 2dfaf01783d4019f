"""Experiments: many units of work, their records, tables and pages."""
