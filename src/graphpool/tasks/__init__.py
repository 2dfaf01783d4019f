"""Tasks: what a model is asked, the loss it learns from and the metrics it is judged by."""
