"""evaluate."""

def evaluate() -> None:
    """Evaluate."""
