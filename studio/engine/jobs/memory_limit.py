"""A limit for the memory of a process that reads foreign files, so that it cannot take all.

Linux and Windows enforce one; macOS does not, and nothing is done there.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Final

import psutil

MIN_MEMORY: Final = 2**31


def half_of_memory() -> int:
    """Return half of the machine's memory in bytes, and 2 GB at least."""
    return max(MIN_MEMORY, psutil.virtual_memory().total // 2)


def limit_memory(limit: int) -> None:
    """Let this process take that many bytes more than now.

    What goes beyond raises MemoryError, or ends the process.
    """
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
