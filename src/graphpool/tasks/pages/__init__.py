"""Parts of pages about trained models that several tasks share."""
