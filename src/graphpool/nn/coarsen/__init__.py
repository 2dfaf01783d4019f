"""What all coarsenings share: outputs, losses, health, the coarse graph."""
