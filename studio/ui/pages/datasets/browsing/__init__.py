"""Look at the images of a dataset: classes, filters, a grid, and one image in detail."""
