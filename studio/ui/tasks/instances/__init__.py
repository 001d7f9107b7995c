"""Views of objects with outlines: datasets, reports and insights."""
