"""Program on a node of the cluster: a Ray actor that starts one worker and reports on it.

Ray makes it from the Studio that is installed on the node. When the actor ends, however it ends,
the standard input of its worker closes, and the worker ends, too.
"""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Concatenate, ParamSpec, Protocol, TypeVar

from filelock import FileLock

from studio import __version__
from studio.engine.errors import StudioError
from studio.engine.files import disk_full_is_clear, move, remove_folder
from studio.engine.jobs import process_group
from studio.engine.jobs.commands import COMMANDS_FILE
from studio.engine.jobs.devices import VISIBLE
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.launch import LOG_FILE, environment
from studio.engine.worker.cluster import connection
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.engine.workspace.records import RECORD_FILE

# Files of records on their way between this machine and a node, in pieces that fit in memory.

PIECE_BYTES = 16 * 2**20

Stamp = tuple[int, int]
"""Size in bytes and time of the last change in nanoseconds: a file with another one is another."""


def stamps_of(folder: Path) -> dict[str, Stamp]:
    """Return the files below a folder, by their relative path with slashes.

    Hidden files and locks are left out: they are of no meaning elsewhere, or not finished.
    """
    found: dict[str, Stamp] = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith(".") or name.endswith(".lock"):
                continue
            path = Path(root, name)
            try:
                facts = path.stat()
            except FileNotFoundError:
                continue  # replaced, or tidied up, since it was listed
            found[path.relative_to(folder).as_posix()] = (facts.st_size, facts.st_mtime_ns)
    return found


def fingerprint(paths: Iterable[Path]) -> str:
    """Sixteen letters that change when any of those files, or any file in those folders, does."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path}\n".encode())
        if path.is_file():
            facts = path.stat()
            digest.update(f"{facts.st_size}\t{facts.st_mtime_ns}\n".encode())
        for name, stamp in stamps_of(path).items():
            digest.update(f"{name}\t{stamp}\n".encode())
    return digest.hexdigest()[:16]


def pieces_of(path: Path) -> Iterator[bytes]:
    """Yield the content of a file in pieces; one empty piece for an empty file."""
    with path.open("rb") as file:
        yield file.read(PIECE_BYTES)
        while piece := file.read(PIECE_BYTES):
            yield piece


def inside(folder: Path, name: str) -> Path:
    """Return the file with a relative path.

    Args:
        folder: The folder.
        name: Path relative to it.

    Raises:
        StudioError: The file would lie outside the folder.
    """
    path = Path(os.path.normpath(folder / name))
    if not path.is_relative_to(folder) or path == folder:
        raise StudioError(
            '"{file}" is not inside {folder}, so it is not copied.', file=name, folder=folder
        )
    return path


def lines_from(path: Path, offset: int) -> bytes:
    """Return the complete lines of a file from an offset on; empty without a file.

    Args:
        path: The file.
        offset: First byte.
    """
    data = bytes_from(path, offset)
    return data[: data.rfind(b"\n") + 1]


def bytes_from(path: Path, offset: int) -> bytes:
    """Return the bytes of a file from an offset on; empty if there is no such file.

    Args:
        path: The file.
        offset: First byte.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read()
    except FileNotFoundError:
        return b""


P = ParamSpec("P")
T = TypeVar("T")

NOT_CARRIED = {
    JOURNAL_FILE,
    COMMANDS_FILE,
    LOG_FILE,
    RECORD_FILE,
    *(kind.plan_name for kind in RecordKind),
}
"""Files of a run that are not carried back: of some their lines are, the others do not change."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """Version of Studio on the node, and its machine."""

    studio: str
    python: str
    host: str


@dataclass(frozen=True, slots=True)
class Known:
    """Parts of a run that were copied already.

    Attributes:
        journal: Number of copied bytes of the journal.
        log: Number of copied bytes of the log.
        commands: Number of command bytes that were sent.
        files: The files with the same content on both sides.
    """

    journal: int
    log: int
    commands: int
    files: Mapping[str, Stamp]


@dataclass(frozen=True, slots=True)
class News:
    """Changes since the last poll of a worker.

    Attributes:
        exit_code: Exit code of the worker; nothing new follows.
        journal: Further whole lines.
        log: Other output.
        files: Files that changed; at least as new as the lines are.
    """

    exit_code: int | None
    journal: bytes = b""
    log: bytes = b""
    files: Mapping[str, Stamp] | None = None


class Node:
    """One worker on a node. All methods return soon but for those that wait for a lock.

    Method arguments and results are plain data: they go over the network.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = Path()
        self._root = Path()
        self._staging = Path()
        self._target = Path()
        self._lock: FileLock | None = None
        self._using: FileLock | None = None
        self._reading: tuple[str, BinaryIO] | None = None

    def greet(self) -> Greeting:
        """Say who we are."""
        return Greeting(__version__, platform.python_version(), platform.node())

    def sees(self, path: str, token: str) -> bool:
        """Return True if the node can read a file with a token, so that its folder is shared.

        Args:
            path: The file.
            token: Its expected content.
        """
        try:
            return Path(path).read_text(encoding="utf-8") == token
        except (OSError, UnicodeDecodeError):
            return False

    def meeting_point(self) -> str:
        """Return the address of this node with a port that is free now, as `10.0.0.7:41000`."""
        import ray  # noqa: PLC0415 - it has made this actor

        with socket.socket() as free:
            free.bind(("", 0))
            return f"{ray.util.get_node_ip_address()}:{free.getsockname()[1]}"

    def make_room(self, key: str) -> str:
        """Create a workspace for copied files, used until `leave`; return its folder.

        Raises:
            StudioError: The temporary folder of this machine is not ours.
        """
        root = inside(connection.own_copies_folder(), key)
        with FileLock(connection.guard_of(root)):
            self._root = Workspace.open(root).root
            users = self._root / connection.USERS
            users.mkdir(exist_ok=True)
            self._using = FileLock(users / f"{secrets.token_hex(6)}.lock")
            self._using.acquire()
        return str(self._root)

    def open_folder(self, name: str, *, overwrite: bool) -> bool:
        """Start receiving the files of a record; other senders of the same record wait.

        Args:
            name: Its folder in the workspace: `datasets/flowers-1a2b3c`.
            overwrite: Copy them even if they already exist here.

        Returns:
            True if they are needed.
        """
        self._target = inside(self._root, name)
        self._target.parent.mkdir(exist_ok=True)
        self._lock = FileLock(self._target.with_name(f".{self._target.name}.lock"))
        self._lock.acquire()
        if self._target.exists():
            if not overwrite:
                self._lock.release()
                return False
            # A worker of an earlier attempt may still be ending in it.
            old = self._target.with_name(f".old-{self._target.name}-{secrets.token_hex(3)}")
            move(self._target, old)
            remove_folder(old, ignore_errors=True)
        self._staging = self._target.with_name(f".new-{self._target.name}")
        remove_folder(self._staging, ignore_errors=True)
        self._staging.mkdir()
        return True

    def put(self, name: str, piece: bytes) -> None:
        """Append bytes to a file of the record.

        Args:
            name: Path relative to the record's folder.
            piece: The bytes.

        Raises:
            DiskFullError: No space was left.
        """
        path = inside(self._staging, name)
        with disk_full_is_clear(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(piece)

    def close_folder(self) -> dict[str, Stamp]:
        """Let the record appear: all its files are here, and these are they."""
        move(self._staging, self._target)
        if self._lock is not None:
            self._lock.release()
        return stamps_of(self._target)

    def start(
        self, folder: str, attempt: int, words: Sequence[str], *, gpus: bool, group: str = ""
    ) -> None:
        """Start the worker of a run.

        Args:
            folder: The run's folder on this machine.
            attempt: Number of the attempt, from 1.
            words: The command line behind the name of the interpreter.
            gpus: True if it may use the GPUs that Ray gave us, or none at all.
            group: The `ProcessGroup` in which it trains; empty for one that trains alone.
        """
        self._folder = Path(folder)
        environ = {**environment(), process_group.VARIABLE: group}
        environ |= {} if gpus else {VISIBLE: ""}
        with (self._folder / LOG_FILE).open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, *words, folder, str(attempt)],
                cwd=folder,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=sys.platform != "win32",
            )

    def exit_code(self) -> int | None:
        """Return the exit code of the worker; None while it runs."""
        return None if self._process is None else self._process.poll()

    def last_words(self) -> str:
        """Return the reason that the journal of the run gives for its end; empty without one."""
        record = Record(RecordKind.RUN, self._folder)
        return Job.read(record).history.reason

    def poll(self, known: Known, commands: bytes) -> News:
        """Pass commands to the worker and return its new output.

        Safe to repeat with the same arguments if a reply was lost.

        Args:
            known: Sizes of the files that were received so far, in bytes.
            commands: New lines of the commands file.
        """
        code = self.exit_code()  # first: then what follows is all there is
        path = self._folder / COMMANDS_FILE
        if commands and (path.stat().st_size if path.exists() else 0) == known.commands:
            with path.open("ab") as file:
                file.write(commands)
        journal = lines_from(self._folder / JOURNAL_FILE, known.journal)
        log = bytes_from(self._folder / LOG_FILE, known.log)
        files = {
            name: stamp
            for name, stamp in stamps_of(self._folder).items()
            if name not in NOT_CARRIED and known.files.get(name) != stamp
        }
        return News(code, journal, log, files)

    def read(self, name: str, offset: int, size: int) -> bytes | None:
        """Return a part of a file of the run; None if the file does not exist.

        All parts of one reading come from one file, even if it is replaced meanwhile.

        Args:
            name: Path relative to the record's folder.
            offset: First byte.
            size: Greatest number of bytes.
        """
        if offset == 0 or self._reading is None or self._reading[0] != name:
            self._close()
            try:
                self._reading = (name, inside(self._folder, name).open("rb"))
            except FileNotFoundError:
                return None
        file = self._reading[1]
        file.seek(offset)
        piece = file.read(size)
        if len(piece) < size:
            self._close()
        return piece

    def tidy(self) -> None:
        """Remove the copy of the run, after all of it was copied back."""
        self._close()
        if self._root != Path() and self._folder.is_relative_to(self._root):
            remove_folder(self._folder, ignore_errors=True)

    def leave(self, *, remove: bool) -> None:
        """Release the files that were copied.

        Args:
            remove: Remove it, unless another uses it.
        """
        self.tidy()
        if self._using is None:
            return
        self._using.release()
        self._using = None
        if remove:
            connection.remove_copies(self._root)

    def _close(self) -> None:
        if self._reading is not None:
            self._reading[1].close()
            self._reading = None


class Ask(Protocol):
    """Calls a method of a `Node` on its machine and waits for the answer."""

    def __call__(
        self, method: Callable[Concatenate[Node, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call `Node.method`; raises what Ray raises."""
        ...
