"""One run: its curves, its state, and what its insights show."""
