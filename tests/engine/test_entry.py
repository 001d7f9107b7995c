"""The entries of the program: what they need of the process that they start in."""

from __future__ import annotations

import sys

import pytest

import studio.__main__ as entry


def test_the_launcher_of_the_window_works_without_a_console(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def open_window(words: list[str]) -> int:
        sys.stderr.write("studio: a message that a console would show")
        print("more", file=sys.stdout)
        return len(words)

    monkeypatch.setattr(entry, "_entry", lambda module: open_window)
    monkeypatch.setattr(sys, "argv", ["studio-window", "--workspace", "w"])
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", None)

    assert entry.main_window() == 2
