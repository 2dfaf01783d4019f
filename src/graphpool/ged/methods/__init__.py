"""Edit-distance methods other than the exact search."""
