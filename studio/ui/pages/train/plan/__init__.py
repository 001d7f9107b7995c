"""The form of a new run: what is asked for, and what it will cost."""
