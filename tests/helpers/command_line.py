"""Our command line in this process, quickly: exit code, both outputs, the document."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studio.cli.main import main


@dataclass(frozen=True, slots=True)
class Said:
    """What a call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document, which must be all of standard output."""
        assert self.code == 0, self.err
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    @property
    def mistake(self) -> str:
        """The one line that says what the user did wrong; nothing else was printed."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert self.out == ""
        lines = self.err.splitlines()
        assert lines[-1].startswith("studio: ")
        assert "Traceback" not in self.err
        assert len([line for line in lines if line.startswith("studio: ")]) == 1
        return lines[-1].removeprefix("studio: ")


Call = Callable[..., Said]


def caller(capsys: pytest.CaptureFixture[str], workspace: Path | None) -> Call:
    """A function that runs `studio WORDS…` on a workspace."""

    def call(*words: str | Path) -> Said:
        common = [] if workspace is None else ["--workspace", str(workspace)]
        capsys.readouterr()
        code = main([*common, *map(str, words)])
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return call
