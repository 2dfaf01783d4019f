"""Sets that are drawn at random instead of read."""
