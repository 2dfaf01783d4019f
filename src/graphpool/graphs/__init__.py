"""Graphs: `GraphSet`, its batches, one reader per format, orders, splits and sets made here."""
