"""Training: one plain loop that can be stopped anywhere and resumed to the bit."""
