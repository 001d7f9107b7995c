"""The datasets page: import images, see them by class."""
