"""The home page: first steps, running jobs, latest runs."""
