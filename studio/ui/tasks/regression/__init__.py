"""View of the task with numbers per image."""
