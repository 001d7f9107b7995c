"""The process that looks through the sources of a dataset for the window.

A question comes in on standard input, as one line of JSON; lines of progress and the answer go
out on standard output. When standard input is closed, the survey was cancelled or the window is
gone, and the process ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from typing import Any, BinaryIO

import psutil

from studio.engine.datasets.survey import SurveyQuestion, survey
from studio.engine.errors import StudioError
from studio.engine.files import clear_system_error
from studio.engine.messages import message, to_json
from studio.engine.progress import Cancelled

_END_SECONDS = 2.0


def main() -> int:
    """Answer one question."""
    limit_memory()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    question = SurveyQuestion.of_data(json.loads(sys.stdin.buffer.readline()))
    progress = _Progress(answers)
    threading.Thread(target=progress.wait_for_end, daemon=True).start()
    try:
        answer = {"found": survey(question, progress).to_data()}
    except Cancelled:
        return 0
    except StudioError as error:
        answer = _refusal(error)
    except MemoryError:
        answer = _refusal(
            StudioError(
                message(
                    "Reading {source} needs more memory than is allowed.",
                    source=question.recipe.source,
                ),
                "The file may be damaged or malicious. Import it in smaller parts.",
                "source",
            )
        )
    except OSError as error:
        reported = clear_system_error(error)
        if not isinstance(reported, StudioError):
            raise
        answer = _refusal(reported)
    _write(answers, answer)
    return 0


class _Progress:
    """Sends the progress of a survey; see `Progress`."""

    def __init__(self, answers: BinaryIO) -> None:
        self._answers = answers
        self._cancelled = threading.Event()

    def advance(self, done: int, total: int, what: str) -> None:
        """See `Progress.advance`."""
        self.check()
        _write(self._answers, {"advance": [done, total, to_json(what)]})

    def warn(self, message: str) -> None:
        """See `Progress.warn`."""
        _write(self._answers, {"warn": to_json(message)})

    def check(self) -> None:
        """See `Progress.check`."""
        if self._cancelled.is_set():
            raise Cancelled

    def wait_for_end(self) -> None:
        """End the process soon after standard input is closed."""
        sys.stdin.buffer.read()
        self._cancelled.set()
        threading.Event().wait(_END_SECONDS)
        os._exit(1)  # deep in a library that does not ask


def _refusal(error: StudioError) -> dict[str, Any]:
    return {"error": [to_json(error.message), to_json(error.hint), error.where]}


def _write(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


# A limit for the memory of this process, so that what it reads cannot take all of the machine's.
# Linux and Windows enforce one; macOS does not, and nothing is done there.

_LEAST_MEMORY = 2**31


def limit_memory() -> None:
    """Let this process take half of the machine's memory, and 2 GB at least.

    What goes beyond raises MemoryError, or ends the process.
    """
    limit = max(_LEAST_MEMORY, psutil.virtual_memory().total // 2)
    if sys.platform == "win32":
        _limit_on_windows(limit)
    elif sys.platform == "linux":
        import resource  # noqa: PLC0415 - not on Windows

        # Addresses, not pages in use: libraries reserve some that they never touch.
        now = psutil.Process().memory_info().vms
        with contextlib.suppress(ValueError, OSError):  # a stricter limit holds already
            resource.setrlimit(resource.RLIMIT_AS, (now + limit, resource.RLIM_INFINITY))


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9
    _PROCESS_MEMORY = 0x100

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class _ExtendedLimits(ctypes.Structure):
        _fields_ = (
            ("Basic", _BasicLimits),
            ("IoCounters", ctypes.c_uint64 * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    def _limit_on_windows(limit: int) -> None:
        """Put this process into a separate job object, which stays as long as the process."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = wintypes.HANDLE
        kernel.GetCurrentProcess.restype = wintypes.HANDLE
        kernel.SetInformationJobObject.argtypes = (
            wintypes.HANDLE,
            ctypes.c_int,
            ctypes.c_void_p,
            wintypes.DWORD,
        )
        kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
        job = kernel.CreateJobObjectW(None, None)
        limits = _ExtendedLimits()
        limits.Basic.LimitFlags = _PROCESS_MEMORY
        limits.ProcessMemoryLimit = limit
        # Where any of these fails, the process continues without a limit.
        if job and kernel.SetInformationJobObject(
            job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        ):
            kernel.AssignProcessToJobObject(job, kernel.GetCurrentProcess())
