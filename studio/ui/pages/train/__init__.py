"""The training page: plan a run, watch it live, look back at it."""
