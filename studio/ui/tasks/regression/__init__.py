"""How the window shows numbers of each image."""
