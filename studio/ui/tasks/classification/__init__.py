"""View of the task with one class per image."""
