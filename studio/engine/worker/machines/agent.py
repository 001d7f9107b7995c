"""The Studio on a machine that ssh reaches: answers requests from standard input.

Started as `studio agent` by the other Studio; it ends when the connection does. Jobs that it
started continue: it is one of the processes that dispatch the queue there, no more.
"""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from studio import __version__
from studio.engine.errors import StudioError
from studio.engine.files import remove_folder, write_atomically
from studio.engine.jobs.commands import COMMANDS_FILE, CommandReader
from studio.engine.jobs.devices import AUTO
from studio.engine.jobs.events import Amended, QueueChanged, StateChanged, encode
from studio.engine.jobs.executors.frames import (
    PIECE_BYTES,
    BrokenFrameError,
    read_frame,
    write_frame,
)
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.jobs.liveness import JobBusy, holding
from studio.engine.jobs.machine import disk_free
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.worker.cluster.node import (
    NOT_CARRIED,
    bytes_from,
    inside,
    lines_from,
    stamps_of,
)
from studio.engine.worker.launchers import launcher_of
from studio.engine.worker.machines.store import ContentStore, KnownHashes
from studio.engine.workspace import Record, RecordKind, Workspace

FOLDER_VARIABLE: Final = "STUDIO_AGENT_FOLDER"
_KEY: Final = re.compile(r"[0-9a-f]{16}")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,100}")
LOG_BYTES: Final = 2**20
BEGUN_FILE: Final = ".begun.json"
"""Reply to the request that queued a job, in its folder."""
Reply = tuple[object, bytes]


class Agent:
    """Does what requests ask for. Arguments and results are plain data.

    Args:
        root: Folder of Studio on this machine.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._store = ContentStore(root / "store")
        self._queues: dict[str, JobQueue] = {}

    def answer(self, method: str, arguments: Mapping[str, Any], body: bytes) -> Reply:
        """Do one request.

        Args:
            method: Name of a method that begins with `do_`.
            arguments: Its arguments.
            body: Bytes that came with it.

        Raises:
            StudioError: There is no such request, or it cannot be done.
        """
        do = getattr(self, f"do_{method}", None)
        if do is None:
            raise StudioError('There is no request "{name}".', name=method[:80])
        reply: Reply = do(body, **arguments)
        return reply

    def do_greet(self, _body: bytes, launcher: dict[str, object]) -> Reply:
        """Return what this machine has, and how busy it is.

        Args:
            _body: Nothing.
            launcher: Options of the way in which workers start here.
        """
        free = disk_free(self._root)
        facts = {
            "studio": __version__,
            "python": platform.python_version(),
            "name": platform.node(),
            "devices": launcher_of(launcher).devices(),
            "free_disk": None if math.isnan(free) else int(free),
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            "cores": os.cpu_count(),
        }
        return facts, b""

    def do_require(self, _body: bytes, launcher: dict[str, object], device: str) -> Reply:
        """Refuse a device that a job could never get here.

        Args:
            _body: Nothing.
            launcher: Options of the way in which workers start here.
            device: Device of a plan.
        """
        launcher_of(launcher).require(device)
        return None, b""

    def do_missing(self, _body: bytes, workspace: str, record: str, keys: list[str]) -> Reply:
        """Return the number of bytes that are here of each file that is not here completely.

        Args:
            _body: Nothing.
            workspace: Key of the workspace.
            record: The record that has or needs the files.
            keys: Their hashes.
        """
        there = set(self._hashes(self._folder(workspace, record)).values())
        received = {key: self._store.received(key) for key in keys if key not in there}
        return {key: size for key, size in received.items() if size >= 0}, b""

    def do_put(self, body: bytes, key: str, offset: int, *, is_last: bool) -> Reply:
        """Receive a part of a file.

        Args:
            body: The part.
            key: Hash of the whole file.
            offset: Bytes before it.
            is_last: True if the file is complete with it.
        """
        self._store.add(key, offset, body, is_last=is_last)
        return None, b""

    def do_place(
        self, _body: bytes, workspace: str, record: str, files: dict[str, str], *, stay: bool
    ) -> Reply:
        """Make the folder of a record of files that were received.

        Returns the hashes of files that are not here: they have to be sent, then placed again.

        Args:
            _body: Nothing.
            workspace: Key of the workspace.
            record: The record.
            files: Hashes by the relative path.
            stay: True for files that other jobs read, too.
        """
        self._queue(workspace)
        folder = self._folder(workspace, record)
        # Two jobs that read the same dataset may be sent at once.
        with FileLock(folder.with_name(f".{folder.name}.lock")):
            there = self._hashes(folder)
            if stay and there == files:
                return [], b""
            try:
                with holding(folder, seconds=5):  # a worker may be ending in it
                    pass  # no worker is in it, and no other process starts one: it is not queued
            except JobBusy as error:
                if folder.exists():
                    raise StudioError(
                        "A worker is still at this job there.", "Wait a moment, then try again."
                    ) from error
            return self._store.place(folder, files, there, stay=stay), b""

    def do_begin(
        self,
        _body: bytes,
        workspace: str,
        record: str,
        request: str,
        changes: dict[str, object],
        launcher: dict[str, object],
    ) -> Reply:
        """Queue a job whose folder was received; return the size of its journal then.

        A request that comes again, because its reply was lost, queues nothing and has the same
        reply.

        Args:
            _body: Nothing.
            workspace: Key of the workspace.
            record: The record.
            request: Name of the request.
            changes: Changes of its plan for this machine, by dotted name.
            launcher: Options of the way in which its worker is started.
        """
        queue, job = self._queue(workspace), self._job(workspace, record)
        starts = launcher_of(launcher)
        starts.require(str(changes.get("device", AUTO)))
        folder = job.record.folder
        with queue.locked():  # the request before may still be at work
            reply = _reply_before(folder, request)
            if reply is None:
                with queue.changing(job):
                    starts.prepare(folder)
                    job.append(Amended(changes={**changes, "machine": starts.place}))
                    queue.confirm(job)
                    queued = (
                        QueueChanged(held=False, foreign=False),
                        StateChanged(state=State.QUEUED, attempt=job.history.attempt),
                    )
                    size = _journal_size(folder) + sum(len(encode(each)) for each in queued)
                    reply = {"journal": size, "files": stamps_of(folder)}
                    # First: from the next line on a worker changes the journal and the files.
                    stored = _StoredReply(request=request, reply=reply)
                    write_atomically(folder / BEGUN_FILE, stored.model_dump_json())
                    job.append(*queued)
        queue.dispatch()
        return reply, b""

    def do_poll(  # noqa: PLR0913 - one argument for each file that grows
        self,
        body: bytes,
        *,
        workspace: str,
        record: str,
        journal: int,
        lines: int,
        log: int,
        commands: int,
        files: dict[str, list[int]],
    ) -> Reply:
        """Pass commands on, and return what is new.

        Args:
            body: New lines of the commands file.
            workspace: Key of the workspace.
            record: The record.
            journal: Offset in the journal that the other side knows.
            lines: Number of lines behind it that the other side has.
            log: Number of bytes of the log that it has.
            commands: Number of bytes of commands that it has sent before.
            files: Stamps of the files that it has.
        """
        queue, job = self._queue(workspace), self._job(workspace, record)
        folder = job.record.folder
        path = folder / COMMANDS_FILE
        if body and (path.stat().st_size if path.exists() else 0) == commands:
            with path.open("ab") as file:
                file.write(body)
        _end_if_asked(queue, job)
        queue.dispatch()
        job.refresh()
        is_over = job.history.state.is_at_rest  # first: then what follows is all there is
        text = lines_from(folder / JOURNAL_FILE, journal)
        if lines:  # it was started again, and knows only how many it has
            rest = b"\n".join(text.split(b"\n")[lines:])
            journal, text = journal + len(text) - len(rest), rest
        output = bytes_from(folder / LOG_FILE, log)[:LOG_BYTES]
        changed = {
            name: stamp
            for name, stamp in stamps_of(folder).items()
            if name not in NOT_CARRIED and files.get(name) != list(stamp)
        }
        received = path.stat().st_size if path.exists() else 0
        facts = {
            "over": is_over,
            "journal": len(text),
            "journal_at": journal,
            "files": changed,
            "commands": received,
        }
        return facts, text + output

    def do_stop(self, _body: bytes, workspace: str, record: str) -> Reply:
        """Ask a job to stop that the other side no longer follows.

        Args:
            _body: Nothing.
            workspace: Key of the workspace.
            record: The record.
        """
        self._queue(workspace).stop(self._job(workspace, record))
        return None, b""

    def do_read(self, _body: bytes, workspace: str, record: str, name: str, offset: int) -> Reply:
        """Return a part of a file of a record, its size and the time of its last change.

        Args:
            _body: Nothing.
            workspace: Key of the workspace.
            record: The record.
            name: Path relative to its folder.
            offset: First byte.
        """
        path = inside(self._folder(workspace, record), name)
        try:
            with path.open("rb") as file:
                facts = os.fstat(file.fileno())
                file.seek(offset)
                piece = file.read(PIECE_BYTES)
                return {"size": facts.st_size, "time": facts.st_mtime_ns}, piece
        except FileNotFoundError:
            return {"size": -1, "time": 0}, b""

    def do_forget(self, _body: bytes) -> Reply:
        """Remove everything that was received, unless a job of it waits or runs."""
        for each in sorted((self._root / "workspaces").glob("*")):
            queue = self._queue(each.name)
            if queue.entries():
                raise StudioError("Jobs of this machine wait or run.", "Stop them first.")
        for name in ("workspaces", "store"):
            remove_folder(self._root / name, ignore_errors=True)
        self._queues.clear()
        return None, b""

    def _hashes(self, folder: Path) -> dict[str, str]:
        known = KnownHashes(self._root / "hashes.json")
        found = known.of_folder(folder)
        known.store()
        return found

    def _queue(self, workspace: str) -> JobQueue:
        if workspace not in self._queues:
            if not _KEY.fullmatch(workspace):
                raise StudioError("{key} is no key of a workspace.", key=repr(workspace[:80]))
            root = self._root / "workspaces" / workspace
            self._queues[workspace] = JobQueue(Workspace.open(root))
        return self._queues[workspace]

    def _folder(self, workspace: str, record: str) -> Path:
        kind, _, record_id = record.partition("/")
        if kind not in {each.folder for each in RecordKind} or not _ID.fullmatch(record_id):
            raise StudioError("{name} is no record.", name=repr(record[:80]))
        return self._queue(workspace).workspace.root / kind / record_id

    def _job(self, workspace: str, record: str) -> Job:
        folder = self._folder(workspace, record)
        kind = next(each for each in RecordKind if each.folder == folder.parent.name)
        if not folder.is_dir():
            raise StudioError("The copy of the job was removed there.", "Resume the job.")
        return Job.read(Record(kind, folder))


class _StoredReply(BaseModel):
    """Reply to the request that queued a job, in the folder of the job."""

    request: str
    reply: dict[str, Any]


def _reply_before(folder: Path, request: str) -> dict[str, Any] | None:
    """Return the reply to a request that has queued a job; None if it has not.

    Args:
        folder: Folder of the job.
        request: Name of the request.
    """
    try:
        stored = _StoredReply.model_validate_json((folder / BEGUN_FILE).read_bytes())
    except (OSError, ValidationError):
        return None
    # It is written before the job is queued, and this process may have been killed in between.
    is_queued = _journal_size(folder) >= int(stored.reply["journal"])
    return stored.reply if stored.request == request and is_queued else None


def _journal_size(folder: Path) -> int:
    return (folder / JOURNAL_FILE).stat().st_size


def _end_if_asked(queue: JobQueue, job: Job) -> None:
    """End a job that waits here and was asked to end; a worker sees to it itself."""
    attempt = job.history.attempt
    if job.history.state is not State.QUEUED:
        return
    readers = [CommandReader(job.record.folder, each) for each in (attempt, attempt + 1)]
    names = {each.command for reader in readers for each in reader.poll(at_once=True)}
    if "stop" in names:
        queue.stop(job)
    elif "pause" in names:
        with queue.changing(job):
            if job.history.state is State.QUEUED:
                state = State.PAUSED
                text = message("It was {state} before its device was free.", state=state.label)
                job.append(StateChanged(state=state, attempt=attempt, reason=text))


def main() -> int:
    """Answer requests until the connection ends."""
    root = Path(os.environ[FOLDER_VARIABLE])
    root.mkdir(parents=True, exist_ok=True)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no reply
    serve(Agent(root), requests, replies)
    return 0


def serve(agent: Agent, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests from a pipe until it is closed.

    Args:
        agent: Does what they ask for.
        requests: The pipe.
        replies: Pipe for the results.
    """
    while True:
        try:
            head, body = read_frame(requests)
        except BrokenFrameError:
            return
        try:
            result, data = agent.answer(str(head["method"]), head["arguments"], body)
            reply: dict[str, object] = {"result": result}
        except StudioError as error:
            reply, data = {"error": error.message, "hint": error.hint}, b""
        except (OSError, TypeError, ValueError, KeyError) as error:
            reply, data = {"error": f"{type(error).__name__}: {error}"}, b""
        try:
            write_frame(replies, reply, data)
        except OSError:
            return
