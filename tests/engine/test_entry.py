"""The entries of the program: what they need of the process that they start in."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

import studio.__main__ as entry
from studio.cli import no_window


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


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ModuleNotFoundError("No module", name="PySide6"), "The window needs PySide6"),
        (ModuleNotFoundError("No module", name="pyqtgraph.Qt"), "The window needs pyqtgraph"),
        (
            ImportError(
                "libEGL.so.1: cannot open shared object file",
                path="/lib/PySide6/QtGui.abi3.so",
            ),
            "The window cannot load Qt: libEGL.so.1",
        ),
    ],
)
def test_a_missing_window_is_a_mistake_with_a_command(
    error: ImportError,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def missing(module: str) -> Callable[..., int]:
        raise error

    monkeypatch.setattr(entry, "_entry", missing)
    monkeypatch.setattr(sys, "argv", ["studio"])

    assert entry.main() == 2
    text = " ".join(capsys.readouterr().err.split())
    assert expected in text
    assert ("[gui]" if isinstance(error, ModuleNotFoundError) else "studio doctor") in text
    assert "studio --help" in text


@pytest.mark.parametrize("has_console", [True, False])
def test_a_box_shows_the_mistake_only_without_a_console(
    monkeypatch: pytest.MonkeyPatch, has_console: bool
) -> None:
    def missing(module: str) -> Callable[..., int]:
        raise ModuleNotFoundError("No module", name="PySide6")

    shown: list[str] = []
    monkeypatch.setattr(no_window, "_show_box", shown.append)
    monkeypatch.setattr(entry, "_entry", missing)
    if not has_console:
        monkeypatch.setattr(sys, "stderr", None)

    assert entry._window([]) == 2

    assert len(shown) == (not has_console)


def test_an_error_of_our_own_imports_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(module: str) -> Callable[..., int]:
        raise ModuleNotFoundError("No module", name="studio.ui.gone")

    monkeypatch.setattr(entry, "_entry", broken)
    with pytest.raises(ModuleNotFoundError):
        entry._window([])
