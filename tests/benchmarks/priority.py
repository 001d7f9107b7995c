"""Share of the processors that a worker gets beside four busy programs, with each priority.

Run it with `python tests/benchmarks/priority.py`. A busy program is an endless loop in a process;
they share a session ("one terminal"), or have one each ("four terminals"). The worker computes in
as many threads as there are processors.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from typing import Final, get_args

from studio.engine.workspace.limits import JobPriority

BUSY_PROGRAMS: Final = 4
_LOOP: Final = "print(flush=True)\nwhile True: pass"
_WORKER: Final = """
import hashlib, os, sys, threading, time
from studio.engine.worker.priority import set_priority

set_priority(sys.argv[1])
data, end = bytes(2**20), time.monotonic() + float(sys.argv[2])

def compute():
    while time.monotonic() < end:
        hashlib.sha256(data).digest()

before, start = time.process_time(), time.monotonic()
threads = [threading.Thread(target=compute) for _ in range(os.cpu_count())]
for each in threads:
    each.start()
for each in threads:
    each.join()
print((time.process_time() - before) / (time.monotonic() - start))
"""


def processors_used(priority: JobPriority, seconds: float) -> float:
    """Return the number of processors that a worker with a priority uses on average."""
    words = [sys.executable, "-c", _WORKER, priority, str(seconds)]
    done = subprocess.run(
        words, check=True, capture_output=True, text=True, start_new_session=True
    )
    return float(done.stdout)


def beside_busy_programs(priority: JobPriority, seconds: float, *, own_sessions: bool) -> float:
    """Return the number of processors that a worker uses beside four busy programs.

    Args:
        priority: Priority of the worker.
        seconds: Duration of the measurement.
        own_sessions: True if each busy program has a session of its own.
    """
    busy = [
        subprocess.Popen(
            [sys.executable, "-c", _LOOP], stdout=subprocess.PIPE, start_new_session=own_sessions
        )
        for _ in range(BUSY_PROGRAMS)
    ]
    try:
        for each in busy:
            if each.stdout is not None:
                each.stdout.readline()  # it has started
        return processors_used(priority, seconds)
    finally:
        for each in busy:
            each.terminate()
        for each in busy:
            each.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0)
    options = parser.parse_args()
    cores = os.cpu_count() or 1
    print(
        f"{cores} processors, {os.getloadavg()[0]:.1f} processes at work before the first figure"
    )
    for priority in get_args(JobPriority):
        alone = processors_used(priority, options.seconds)
        one, own = (
            beside_busy_programs(priority, options.seconds, own_sessions=each)
            for each in (False, True)
        )
        print(
            f"{priority:8} alone {alone / cores:5.1%}; beside four busy programs: "
            f"one terminal {one / cores:5.1%}, four terminals {own / cores:5.1%}"
        )


if __name__ == "__main__":
    main()
