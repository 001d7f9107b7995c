"""A job that another machine runs: its folder here is kept up to date with the one there.

**What is known survives this process.** When the job was queued there, a file in its folder says
where its journal stood on both sides. From then on this side adds each line of the other journal
and nothing else but lines about the connection, so that the number of its lines says how far it
is, whenever it was killed.

**Order.** As `CarriedRun` does: a state to resume from is taken as complete only when the journal
here reaches it, and the line with the end comes when all files are here.
"""

from __future__ import annotations

import hashlib
import io
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from pydantic import BaseModel, Field, ValidationError

from studio.engine.errors import StudioError
from studio.engine.files import move, portable_name, remove, replacing, write_atomically
from studio.engine.jobs.commands import COMMANDS_FILE
from studio.engine.jobs.device_claims import workspace_key
from studio.engine.jobs.devices import AUTO
from studio.engine.jobs.events import DamagedLine, StateChanged, decoder, encode
from studio.engine.jobs.executors.frames import PIECE_BYTES
from studio.engine.jobs.executors.handed_over import (
    HANDED_OVER,
    is_of_connection,
    on_machine,
    place_of,
)
from studio.engine.jobs.executors.launchers import PROCESS, LauncherOptions
from studio.engine.jobs.job import JOURNAL_FILE, Job, JournalWriter
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.jobs.queue import machine_key
from studio.engine.jobs.states import State
from studio.engine.training.parts import RESUME_FILE
from studio.engine.worker.cluster.node import NOT_CARRIED, Stamp, inside, lines_from
from studio.engine.worker.machines.store import KnownHashes
from studio.engine.worker.placed_jobs import inputs_of, placed_plan
from studio.engine.workspace import Record, Workspace

_ARRIVED: Final = f".arrived-{RESUME_FILE}"
_MAX_PLACINGS: Final = 5
Sent = Callable[[int, int], None]
"""Called with the bytes that were sent, and all that have to be."""


class RemoteStudio(Protocol):
    """The Studio on the other machine, see `AgentConnection`."""

    def ask(
        self, method: str, arguments: Mapping[str, object], body: bytes = b""
    ) -> tuple[Any, bytes]:
        """Call a method of its agent.

        Args:
            method: Its name.
            arguments: Its arguments: plain data.
            body: Bytes that it takes.
        """
        ...


class HandedOver(BaseModel):
    """State of both sides when the job was queued on the other machine.

    It is stored before the machine is asked to queue the job. A machine that has queued it, and
    whose reply was lost, is asked again with the same `request` and gives the same reply.

    Attributes:
        host: The machine.
        request: Random name of the request to queue the job.
        lines: Lines of the journal here.
        commands: Size of the commands file here in bytes.
        journal: Size of the journal there in bytes; -1 as long as no reply has arrived.
        files: Stamps of the files there that are the same here.
        log: Bytes of the log that were received.
    """

    host: str
    request: str
    lines: int = Field(ge=0)
    commands: int = Field(ge=0)
    journal: int = Field(default=-1, ge=-1)
    files: dict[str, tuple[int, int]] = Field(default_factory=dict)
    log: int = Field(default=0, ge=0)


class _ReplacedError(Exception):
    """A file there is no longer the one whose beginning was read."""


class SentJob:
    """Keeps a job here and there the same.

    Args:
        workspace: The workspace here.
        job: The job, whose lock this process holds.
        host: The machine.
    """

    def __init__(self, workspace: Workspace, job: Job, host: str) -> None:
        self._workspace = workspace
        self._record = job.record
        self._plan = placed_plan(job)
        self._attempt = job.history.attempt
        self._host = host
        self._folder = job.record.folder
        self._key = _key_of(workspace)
        self._state = _read(self._folder / HANDED_OVER)
        self._newer_state: Stamp | None = None
        self._sent_commands = 0
        # Where the journal there continues, and how many lines behind that are here already.
        self._journal = self._lines = 0
        if self._state is not None and self._state.journal >= 0:
            self._journal = self._state.journal
            self._lines = self._count_lines() - self._state.lines

    @property
    def is_handed_over(self) -> bool:
        """True if the machine was asked to queue the job, and it is not over yet."""
        return self._state is not None and self._state.host == self._host

    @property
    def is_begun(self) -> bool:
        """True if the machine has confirmed that it queued the job."""
        return self._state is not None and self._state.journal >= 0

    def bring(
        self,
        agent: RemoteStudio,
        sent: Sent,
        launcher: LauncherOptions = PROCESS,
    ) -> None:
        """Bring what the job reads, and queue it there with `begin`.

        Args:
            agent: The connection.
            sent: Receives the progress.
            launcher: The way in which the machine starts its worker.

        Raises:
            BadDataError: A record that it reads is gone.
            Cancelled: `sent` raised it, for a request to end that came before the job was queued.
        """
        hashes = KnownHashes(self._workspace.root / "cache" / "hashes.json")
        read = inputs_of(self._workspace, self._plan)
        parts = [(record, hashes.of_folder(record.folder)) for record in (*read, self._record)]
        for name in (COMMANDS_FILE, LOG_FILE, JOURNAL_FILE):
            parts[-1][1].pop(name, None)
        hashes.store()
        total = self._send(agent, parts, sent)
        commands = self._folder / COMMANDS_FILE
        begun = commands.stat().st_size if commands.exists() else 0
        sent(total, total)  # sees to requests so far; later ones are passed on
        self._state = HandedOver(
            host=self._host,
            request=secrets.token_hex(16),
            lines=self._count_lines(),
            commands=begun,
        )
        self._store()
        self.begin(agent, launcher)

    def begin(self, agent: RemoteStudio, launcher: LauncherOptions) -> None:
        """Queue the job on the machine whose files are there, unless it has done so already.

        Args:
            agent: The connection.
            launcher: The way in which the machine starts its worker.

        Raises:
            ConnectionLostError: The connection broke, perhaps after the job was queued. Call it
                again on the next connection.
            StudioError: The machine refuses the job.
        """
        state = self._required()
        options = {
            "request": state.request,
            "changes": {"device": self._plan.device},
            "launcher": launcher.model_dump(),
        }
        place, _ = agent.ask("begin", {**self._there(self._record), **options})
        self._state = state.model_copy(
            update={
                "journal": int(place["journal"]),
                "files": {name: tuple(stamp) for name, stamp in place["files"].items()},
            }
        )
        self._journal, self._lines = self._state.journal, self._count_lines() - state.lines
        self._store()

    def _count_lines(self) -> int:
        lines = lines_from(self._folder / JOURNAL_FILE, 0).splitlines()
        return sum(not is_of_connection(line) for line in lines)

    def _send(
        self,
        agent: RemoteStudio,
        parts: Sequence[tuple[Record, dict[str, str]]],
        sent: Sent,
    ) -> int:
        """Send the files that are not there, each once, and make the folders of them.

        Returns:
            Bytes of the files that were not there.
        """
        needed: dict[str, tuple[Path, int]] = {}
        for record, files in parts:
            asked = {**self._there(record), "keys": sorted(set(files.values()))}
            missing, _ = agent.ask("missing", asked)
            paths = {key: record.folder / name for name, key in files.items()}
            needed.update((key, (paths[key], offset)) for key, offset in missing.items())
        total = sum(path.stat().st_size - offset for path, offset in needed.values())
        done = 0
        for key, (path, received) in needed.items():
            for size in _send_file(agent, key, path.open("rb"), received):
                done += size
                sent(done, total)
        for record, files in parts:
            self._place(agent, record, files, lambda: sent(done, total))
        return total

    def _place(
        self, agent: RemoteStudio, record: Record, files: dict[str, str], sees: Callable[[], None]
    ) -> None:
        """Make the folder of a record there of files that were sent."""
        paths = {key: record.folder / name for name, key in files.items()}
        is_job = record == self._record
        journal = self._journal_before() if is_job else b""
        journal_key = hashlib.sha256(journal).hexdigest()
        if journal:
            files[JOURNAL_FILE] = journal_key
            for _ in _send_file(agent, journal_key, io.BytesIO(journal), 0):
                pass
        asked = {**self._there(record), "files": files, "stay": not is_job}
        for _ in range(_MAX_PLACINGS):
            missing, _ = agent.ask("place", asked)
            if not missing:
                return
            for key in missing:  # another job that had the same files has just used them
                is_journal = key == journal_key
                file = io.BytesIO(journal) if is_journal else paths[key].open("rb")
                for _ in _send_file(agent, key, file, 0):
                    sees()
        raise StudioError(
            "Other jobs remove files on {host} that this one needs.",
            "Resume the job when they run.",
            host=self._host,
        )

    def _journal_before(self) -> bytes:
        """Return the journal before this attempt began.

        The queue there counts attempts by it. So the attempt has the same number on both sides,
        and commands for it are for the worker there.
        """
        data = lines_from(self._folder / JOURNAL_FILE, 0)
        decode, end = decoder(), len(data)
        for line in reversed(data.splitlines(keepends=True)):
            end -= len(line)
            try:
                event = decode(line)
            except DamagedLine:
                continue
            if (
                isinstance(event, StateChanged)
                and event.state is State.STARTING
                and event.attempt == self._attempt
            ):
                return data[:end]
        return data

    def sync(self, agent: RemoteStudio) -> bool:
        """Pass commands on, and take what is new; return True if the job is over.

        Args:
            agent: The connection.

        Raises:
            StudioError: The job is no longer there, or no space was left here.
        """
        state = self._required()
        arrived = None
        if self._newer_state is not None:
            arrived = self._fetch(agent, RESUME_FILE, _ARRIVED)
        if arrived is not None:
            state.files[RESUME_FILE] = arrived
        commands = lines_from(self._folder / COMMANDS_FILE, state.commands + self._sent_commands)
        news, data = agent.ask(
            "poll",
            {
                **self._there(self._record),
                "journal": self._journal,
                "lines": self._lines,
                "log": state.log,
                "commands": self._sent_commands,
                "files": state.files,
            },
            commands,
        )
        self._sent_commands = int(news["commands"])
        journal, output = data[: news["journal"]], data[news["journal"] :]
        changed = {name: stamp for name, stamp in news["files"].items() if _may_come(name)}
        newer = changed.pop(RESUME_FILE, None)
        self._newer_state = None if newer is None else tuple(newer)
        fetched = {name: self._fetch(agent, name, name) for name in changed}
        state.files.update((name, stamp) for name, stamp in fetched.items() if stamp is not None)
        # First the rest of a long log, and files that were replaced while they were read.
        is_over = bool(news["over"]) and not output and None not in fetched.values()
        ending = _ending_of(journal)
        self._append(journal.removesuffix(ending))
        self._journal, self._lines = int(news["journal_at"]) + len(journal) - len(ending), 0
        if output:
            with (self._folder / LOG_FILE).open("ab") as log:
                log.write(output)
            state.log += len(output)
        if arrived is not None:
            move(self._folder / _ARRIVED, self._folder / RESUME_FILE)
        if changed or output or arrived is not None:
            self._store()
        if is_over:
            if self._newer_state is not None:
                self._fetch(agent, RESUME_FILE, RESUME_FILE)
            remove(self._folder / _ARRIVED)
            self._append(ending)
            remove(self._folder / HANDED_OVER)
        return is_over

    def stop(self, agent: RemoteStudio) -> None:
        """Ask the job there to stop, because it can no longer be followed."""
        agent.ask("stop", self._there(self._record))

    def _required(self) -> HandedOver:
        if self._state is None:
            raise RuntimeError("the job was not handed over")
        return self._state

    def _store(self) -> None:
        write_atomically(self._folder / HANDED_OVER, self._required().model_dump_json())

    def _append(self, lines: bytes) -> None:
        if not lines:
            return
        writer = JournalWriter(self._folder / JOURNAL_FILE)
        try:
            writer.append_lines(_with_machine(lines, self._host), durable=True)
        finally:
            writer.close()

    def _fetch(self, agent: RemoteStudio, name: str, to: str) -> Stamp | None:
        """Copy a file atomically, unless it is removed or replaced there meanwhile.

        Returns:
            Stamp of the file that was copied; None if the file here is as it was.
        """
        asked = {**self._there(self._record), "name": name}
        try:
            with replacing(inside(self._folder, to)) as partial, partial.open("wb") as file:
                return _read_file(agent, asked, file)
        except _ReplacedError:
            return None

    def _there(self, record: Record) -> dict[str, str]:
        return {"workspace": self._key, "record": f"{record.kind.folder}/{record.id}"}


def _is_plain(part: str) -> bool:
    return part == portable_name(part, 255) and part.isprintable() and "~" not in part


def _may_come(name: str) -> bool:
    """Return True for a file that a job writes: a machine decides about no other files here."""
    parts = name.split("/")
    # Names that a system here may take for another one: case, endings, devices, short forms.
    is_plain = all(_is_plain(part) for part in parts)
    is_ours = parts[0].casefold() in NOT_CARRIED or name.casefold().endswith(".lock")
    return is_plain and not is_ours


def _read_file(agent: RemoteStudio, asked: Mapping[str, object], to: BinaryIO) -> Stamp:
    """Copy a file from there; return its stamp.

    Raises:
        _ReplacedError: It was removed or replaced meanwhile.
    """
    offset, stamp = 0, None
    while stamp is None or offset < stamp[0]:
        facts, piece = agent.ask("read", {**asked, "offset": offset})
        now = int(facts["size"]), int(facts["time"])
        offset += len(piece)
        is_torn = offset > now[0] or (not piece and offset < now[0])
        if is_torn or stamp not in (None, now):
            raise _ReplacedError
        stamp = now
        to.write(piece)
    return stamp


def _send_file(agent: RemoteStudio, key: str, file: BinaryIO, received: int) -> Iterator[int]:
    """Send a file from an offset on; yield the size of each piece that has arrived."""
    with file:
        file.seek(received)
        while piece := file.read(PIECE_BYTES):
            agent.ask("put", {"key": key, "offset": received, "is_last": False}, piece)
            received += len(piece)
            yield len(piece)
    agent.ask("put", {"key": key, "offset": received, "is_last": True})


def _key_of(workspace: Workspace) -> str:
    """Return a name for this workspace on other machines, which others cannot guess."""
    own = workspace_key(workspace.root)
    return hashlib.sha256(machine_key() + own.encode()).hexdigest()[:16]


def _read(path: Path) -> HandedOver | None:
    try:
        return HandedOver.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _with_machine(lines: bytes, host: str) -> bytes:
    """Return lines of a journal as they are for this machine; devices have the name of theirs."""
    decode = decoder()
    found = []
    for line in lines.splitlines(keepends=True):
        try:
            event = decode(line)
        except DamagedLine:
            event = None
        if isinstance(event, StateChanged) and event.state is State.QUEUED:
            # The queue there has it: for the queue here it starts, and keeps its worker.
            update = {"state": State.STARTING, "devices": (on_machine(host, AUTO),)}
            line = encode(event.model_copy(update=update))  # noqa: PLW2901
        elif isinstance(event, StateChanged) and event.devices:
            # A place there, such as SLURM, knows itself which devices that are.
            devices = tuple(on_machine(host, place_of([each]) or each) for each in event.devices)
            line = encode(event.model_copy(update={"devices": devices}))  # noqa: PLW2901
        found.append(line)
    return b"".join(found)


def _ending_of(lines: bytes) -> bytes:
    """Return the last line if it reports the end: it is written when all files have arrived."""
    last = lines[lines.rfind(b"\n", 0, -1) + 1 :]
    try:
        event = decoder()(last) if last else None
    except DamagedLine:
        return b""
    is_ending = isinstance(event, StateChanged) and event.state.is_at_rest
    return last if is_ending else b""
