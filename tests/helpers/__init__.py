"""What several suites need: waiting for conditions, real processes, ready workspaces.

Fixtures stand in `fixtures.py`, which pytest loads by `-p helpers.fixtures` (pyproject.toml).
"""
