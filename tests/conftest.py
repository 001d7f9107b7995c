"""For all tests."""

from __future__ import annotations

from hypothesis import settings

# The machines are noisy: how long an example takes says nothing about the code.
settings.register_profile("studio", deadline=None)
settings.load_profile("studio")
