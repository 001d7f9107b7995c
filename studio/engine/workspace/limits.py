"""Resource limits of a workspace: a file that window and command line both apply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal

from studio.engine.errors import StudioError
from studio.engine.files import read_failure, write_atomically
from studio.engine.messages import message
from studio.engine.plans import Plan, plan_field

FILE: Final = "limits.json"
_GIGABYTE: Final = 2**30


class Limits(Plan):
    """Limits on concurrent work and on stored data."""

    version: Literal[1] = 1
    jobs_at_once: int = plan_field(
        0,
        label="Jobs at once",
        help="How many jobs work at the same time, whatever they do; 0: all that have a device.",
        why="Trainings take a device each, and of the rest one of a kind works at a time. A limit "
        "leaves more of the machine to other programs.",
        within=(0, 64),
    )
    features_kept: float = plan_field(
        4.0,
        label="Features kept",
        help="Space for features of images, from which baselines and maps are computed again.",
        why="More room spares computing them again; what was not used longest goes first.",
        unit="GB",
        left_open=(0, 1000),
    )
    keep_awake: bool = plan_field(
        True,
        label="Keep the computer awake",
        help="Whether the computer is kept from going to sleep while jobs are running.",
        why="Sleep stops a training that runs overnight. The screen may turn off, and closing the "
        "lid or choosing Sleep still works.",
    )

    @property
    def feature_bytes(self) -> int:
        """Space for features in bytes."""
        return int(self.features_kept * _GIGABYTE)


def read_limits(root: Path) -> Limits:
    """The limits of a workspace; the usual ones where none were set.

    Raises:
        StudioError: The file is damaged, or of a newer Studio.
    """
    try:
        text = (root / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Limits()
    try:
        data = json.loads(text)
    except ValueError as error:
        raise StudioError(
            message(
                "The file {file} is damaged: {reason}.",
                file=root / FILE,
                reason=read_failure(error),
            ),
            "Remove it to go back to the usual limits.",
            str(root / FILE),
        ) from error
    return Limits.parse(data)


def write_limits(root: Path, limits: Limits) -> None:
    """Set the limits of a workspace; they count from the next job on."""
    write_atomically(root / FILE, limits.to_json())
