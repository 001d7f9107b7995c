"""Frees the syntax trees of all modules, 600 MB, after the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helpers.sources import parsed


@pytest.fixture(scope="module", autouse=True)
def _trees() -> Iterator[None]:
    yield
    parsed.cache_clear()
