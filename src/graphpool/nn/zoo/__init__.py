"""Every network by name."""
