"""Reads malformed files in a process of its own and says, on lines of JSON, what went wrong.

A process of its own, because a parser in C may end it, because memory is limited here so that a
file cannot ask for all of it, and because the watch cannot be taken off again.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from types import FrameType

from fuzz import (
    boxes_read,
    defects_read,
    documents_read,
    instances_read,
    masks_read,
    pictures_read,
    science_read,
    tools_read,
    window_read,
)
from fuzz.readers import Reader
from fuzz.watch import Watch
from studio.engine.errors import StudioError

READERS = [
    *pictures_read.READERS,
    *masks_read.READERS,
    *boxes_read.READERS,
    *defects_read.READERS,
    *instances_read.READERS,
    *tools_read.READERS,
    *documents_read.READERS,
    *science_read.READERS,
    *window_read.READERS,
]
MEMORY = 3 * 2**30
"""Bytes of address space beside what the libraries take."""
SECONDS = 20
LONGEST_LINE = 1300
"""Characters: of a list of everything that is wrong with a plan; most are far shorter."""


def main() -> int:
    """Read, and print a line for each failure and one for each reader."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", help="their names; all when left out")
    parser.add_argument("--count", type=int, help="inputs in all, dealt as the tests deal them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for the inputs that fail")
    options = parser.parse_args()
    chosen = [each for each in READERS if not options.readers or each.name in options.readers]
    factor = options.count / sum(each.count for each in chosen) if options.count else 1.0
    faulthandler.enable()
    signal.signal(signal.SIGALRM, _too_slow)
    _limit_memory()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        watch = Watch(Path(name).resolve())
        os.chdir(name)
        for reader in chosen:
            failed += _all_inputs(reader, Path(name).resolve(), watch, options, factor)
    return 1 if failed else 0


def _all_inputs(
    reader: Reader, root: Path, watch: Watch, options: argparse.Namespace, factor: float
) -> int:
    folder, canary = root / "here", root.with_name(f"{root.name}-canary")
    folder.mkdir()
    seeds = reader.seeds(folder)
    target = folder / reader.file
    if not target.exists():
        target.write_bytes(seeds[0])
    began, failed, count = time.monotonic(), 0, 0
    reader.read(folder)
    for label, data in _inputs(reader, seeds, canary, options.seed, factor):
        target.write_bytes(data)
        count += 1
        # Flushed, so that it is known what was read when the process dies.
        print(json.dumps({"reading": reader.name, "input": label}), flush=True)
        wrong = _tried(reader, folder, watch)
        if canary.exists():
            wrong = f"it ran code of the file; {wrong}"
            canary.unlink()
        if wrong:
            failed += 1
            print(json.dumps({"failed": reader.name, "input": label, "why": wrong}), flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{reader.name}-{label}".replace(" ", "-")).write_bytes(data)
    seconds = round(time.monotonic() - began, 1)
    print(json.dumps({"done": reader.name, "count": count, "seconds": seconds}), flush=True)
    shutil.rmtree(folder)
    return failed


def _inputs(
    reader: Reader, seeds: Sequence[bytes], canary: Path, seed: int, factor: float
) -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    for number, data in enumerate(reader.extra(canary)):
        yield f"extra {number}", data
    for number in range(round(reader.count * factor)):
        random = Random(f"{reader.name} {seed} {number}")
        yield str(number), reader.mutate(seeds[number % len(seeds)], random)


def _tried(reader: Reader, folder: Path, watch: Watch) -> str:
    """What is wrong with how the reader took what lies there; empty for nothing."""
    watch.seen.clear()
    wrong = ""
    signal.alarm(SECONDS)
    watch.is_on = True
    try:
        reader.read(folder)
    except StudioError as error:
        wrong = _unclear(error)
    except BaseException as error:  # noqa: BLE001 - whatever comes is a finding
        last = traceback.extract_tb(error.__traceback__)[-1]
        wrong = f"{type(error).__name__} in {last.name}:{last.lineno}: {error}"[:400]
    finally:
        watch.is_on = False
        signal.alarm(0)
    if watch.seen:
        wrong = f"{wrong} It did: {watch.seen[:3]}".strip()
    return wrong


def _unclear(error: StudioError) -> str:
    """Why an error is no one clear line."""
    text = str(error)
    if not error.message:
        return "an error without a message"
    if "\n" in text or "\r" in text or "Traceback" in text:
        return f"more than a line: {text!r}"[:400]
    if len(text) > LONGEST_LINE:
        return f"a line of {len(text)} characters: {text[:300]!r}"
    with contextlib.suppress(UnicodeEncodeError):
        text.encode()
        return ""
    return f"a line that cannot be written: {text!r}"[:400]


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"it took longer than {SECONDS} seconds")


def _limit_memory() -> None:
    """So that a reader that believes a file's size gets an error, and no machine stands still."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    sys.exit(main())
