"""Charts of the trials of a sweep."""
