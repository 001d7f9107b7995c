"""How boxes look: datasets, predictions, reports and insights."""
