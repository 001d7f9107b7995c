"""Views of boxes: datasets, predictions, reports and insights."""
