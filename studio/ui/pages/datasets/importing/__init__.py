"""Import of images: search, recipe, samples and progress."""
