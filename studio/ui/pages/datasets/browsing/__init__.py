"""Browser of the images of a dataset."""
