"""The start page: what to do first, what runs, what was done last."""
