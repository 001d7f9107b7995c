"""Instance segmentation: every object of an image with its class and its own mask."""
