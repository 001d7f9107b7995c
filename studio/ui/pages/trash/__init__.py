"""The trash: deleted records of every kind, restored or deleted forever."""
