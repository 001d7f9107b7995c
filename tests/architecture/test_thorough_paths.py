"""CI runs the thorough tests of what changed."""

from __future__ import annotations

import pytest

from helpers.thorough_paths import mirrored_tests, thorough_paths


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("studio/engine/compute/tasks/regression.py", "tests/engine/compute"),
        ("studio/ui/pages/train/page.py", "tests/ui/pages/train"),
        ("studio/__main__.py", "tests"),
        ("tests/cli/test_cli_main.py", "tests/cli/test_cli_main.py"),
        ("tests/cli/test_that_was_deleted.py", ""),
        ("tests/ui/conftest.py", "tests/ui"),
        ("tests/helpers/digits.py", "tests"),
        ("pyproject.toml", "tests"),
        ("README.md", ""),
    ],
)
def test_the_tests_of_a_package_have_its_path(file: str, expected: str) -> None:
    assert mirrored_tests(file) == expected


def test_a_path_inside_another_is_left_out() -> None:
    changed = ["studio/ui/pages/page.py", "studio/ui/pages/train/page.py"]
    assert thorough_paths(changed) == ["tests/end_to_end", "tests/faults", "tests/ui/pages"]
    assert thorough_paths([]) == []
    assert thorough_paths(None) == ["tests"]
