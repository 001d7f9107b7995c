"""View of the task with several labels per image."""
