"""All runs as a list and a table, and several of them side by side."""
