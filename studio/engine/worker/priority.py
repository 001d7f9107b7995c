"""Processor priority of workers, compared with other programs.

**Linux.** The niceness of a process counts among the processes that the kernel compares with
each other. With automatic groups (`sched(7)`, on by default) those are the ones of its session. A
worker has a session of its own, so that its niceness alone has no effect; the niceness of the
group counts, in `/proc/self/autogroup`. Without groups, as in control groups of systemd, the
niceness of the process counts. So both are set. A group shares one weight among its threads:
beside four busy programs in sessions of their own on two processors, a worker gets a fifth only if
the niceness of its group is 0. Without groups, niceness 3 gives each of its threads a fifth of a
processor that two busy programs use as well. With niceness 19 it gets about a hundredth.

**Windows** and **macOS** have priority classes and niceness alone.

Idle processors are used fully with every priority.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from studio.engine.errors import StudioError
from studio.engine.workspace.limits import JobPriority, Limits, read_limits

VARIABLE: Final = "STUDIO_JOB_PRIORITY"
"""Environment variable that overrides the setting of the workspace."""
AUTOGROUP: Final = Path("/proc/self/autogroup")


class Niceness(NamedTuple):
    """Niceness of a worker, 0 (usual) to 19 (lowest).

    Attributes:
        process: Niceness of its threads.
        group: Niceness of its automatic group on Linux.
    """

    process: int
    group: int


NICENESS: Final[dict[JobPriority, Niceness]] = {
    "normal": Niceness(0, 0),
    "low": Niceness(3, 0),
    "idle": Niceness(19, 19),
}


def priority_of(root: Path) -> JobPriority:
    """Return the priority of the jobs of a workspace: of the environment, or of its limits.

    Raises:
        StudioError: The environment variable has an unknown value.
    """
    named = os.environ.get(VARIABLE, "")
    if named:
        return Limits.parse({"job_priority": named}).job_priority
    try:
        return read_limits(root).job_priority
    except (OSError, StudioError):  # the queue reports a damaged file
        return Limits().job_priority


def set_priority(priority: JobPriority) -> None:
    """Set the priority of this process and of the threads that it starts from now on."""
    if sys.platform == "win32":
        classes = {
            "normal": psutil.NORMAL_PRIORITY_CLASS,
            "low": psutil.BELOW_NORMAL_PRIORITY_CLASS,
            "idle": psutil.IDLE_PRIORITY_CLASS,
        }
        psutil.Process().nice(classes[priority])
        return
    niceness = NICENESS[priority]
    os.nice(niceness.process)
    with contextlib.suppress(OSError):  # a kernel without groups
        AUTOGROUP.write_text(str(niceness.group), encoding="ascii")
