"""View of the task with a class for each pixel."""
