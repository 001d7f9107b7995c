"""The process that outlines objects, seen from outside."""

from __future__ import annotations

import math
import subprocess

from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.launch import launch_segmenter


def segmenter_host(idle_seconds: float = math.inf) -> EngineHost:
    """Return a host for the requests of `requests`; its process starts with the first one.

    Args:
        idle_seconds: Time without requests after which the process ends.
    """
    return EngineHost(idle_seconds=idle_seconds, launch=_launch)


def _launch() -> subprocess.Popen[bytes]:
    return launch_segmenter()
