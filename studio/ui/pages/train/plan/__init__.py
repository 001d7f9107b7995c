"""The form of a new run: what is requested, and what it will cost."""
