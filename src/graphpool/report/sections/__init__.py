"""Sections of a report page."""
