"""Resource limits of a workspace: a file that window and command line both apply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal

from studio.engine.errors import StudioError
from studio.engine.files import read_failure, write_atomically
from studio.engine.plans import Plan, plan_field
from studio.engine.workspace.workspace import require_original

FILE: Final = "limits.json"
_GIGABYTE: Final = 2**30

JobPriority = Literal["normal", "low", "idle"]
"""Processor priority of jobs, compared with other programs."""


class Limits(Plan):
    """Limits on concurrent work and on stored data."""

    version: Literal[1] = 1
    jobs_at_once: int = plan_field(
        0,
        label="Jobs at once",
        help="Maximum number of concurrent jobs; 0 is limited by the devices only.",
        why="Each training uses one device, and of other jobs one of each kind runs at a time. A "
        "limit leaves more of the machine to other programs.",
        within=(0, 64),
    )
    feature_cache_size: float = plan_field(
        4.0,
        label="Feature cache",
        help="Disk space for cached image features, used by baselines and maps.",
        why="A larger cache avoids recomputing; the least recently used features are deleted "
        "first.",
        unit="GB",
        left_open=(0, 1000),
    )
    keep_awake: bool = plan_field(
        True,
        label="Keep the computer awake",
        help="Prevents the computer from sleeping while jobs are running.",
        why="Sleep stops a training that runs overnight. The screen may turn off, and closing the "
        "lid or choosing Sleep still works.",
    )
    job_priority: JobPriority = plan_field(
        "low",
        label="Priority of jobs",
        help="Processor time of jobs while other programs are busy.",
        why="Idle processors are always used fully. Beside four busy programs on two processors, "
        "jobs get about a fifth with low priority, and less than a hundredth in idle time only. "
        "A change applies to jobs that start after it.",
        labels={"normal": "Normal", "low": "Low", "idle": "Idle time only"},
    )

    @property
    def feature_bytes(self) -> int:
        """Maximum size of the feature cache in bytes."""
        return int(self.feature_cache_size * _GIGABYTE)


def read_limits(root: Path) -> Limits:
    """Return the limits of a workspace; the usual ones unless they were set.

    Raises:
        StudioError: The file is damaged, or of a newer Studio.
    """
    try:
        data = json.loads((root / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Limits()
    except (OSError, ValueError, RecursionError) as error:
        raise StudioError(
            "The file {file} is damaged: {reason}.",
            "Remove it to restore the default limits.",
            str(root / FILE),
            file=root / FILE,
            reason=read_failure(error),
        ) from error
    return Limits.parse(data)


def write_limits(root: Path, limits: Limits) -> None:
    """Store the limits of a workspace; they apply from the next job on.

    Args:
        root: Folder of the workspace.
        limits: The limits.
    """
    require_original(root)
    write_atomically(root / FILE, limits.to_json())
