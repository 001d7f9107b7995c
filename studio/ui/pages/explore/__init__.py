"""The page Explore: a map of images by their features, layers, and heat maps."""
