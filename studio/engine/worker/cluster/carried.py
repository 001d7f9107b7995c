"""A run on a node that does not see its folder: brought there, and carried back while it grows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio.engine.errors import BadDataError
from studio.engine.files import move, remove, replacing, user_path
from studio.engine.jobs.commands import COMMANDS_FILE
from studio.engine.jobs.events import DamagedLine, StateChanged, decoder
from studio.engine.jobs.job import JOURNAL_FILE, Job, JournalWriter
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.training.parts import RESUME_FILE
from studio.engine.training.plan import STARTING_WEIGHTS, TrainingPlan
from studio.engine.training.starting_weights import is_weights_file, with_available_weights
from studio.engine.worker.cluster import node
from studio.engine.worker.placed_jobs import inputs_of
from studio.engine.workspace import Record, Workspace

_WEIGHTS = "weights/file"
"""Path of a weights file in the node's copy of the run."""

_ARRIVED = f".arrived-{RESUME_FILE}"
"""A received checkpoint, until the local journal contains everything before it."""


class CarriedRun:
    """Keeps the local copy of a run up to date with the node. Call `close` at the end.

    Args:
        ask: Asks the node.
        workspace: The workspace here.
        job: The run, whose lock we hold.
        plan: Its plan.
        copy: Number of the copy, where several nodes get one: two may be of one machine.
    """

    def __init__(
        self, ask: node.Ask, workspace: Workspace, job: Job, plan: TrainingPlan, copy: int = 0
    ) -> None:
        self._ask = ask
        self._copy = copy
        self._workspace = workspace
        self._record = job.record
        self._plan = plan
        self._writer = JournalWriter(job.record.folder / JOURNAL_FILE)
        self._journal = self._log = self._commands = 0
        self._files: dict[str, node.Stamp] = {}
        self._newer_state: node.Stamp | None = None

    def bring(self) -> str:
        """Copy the run and its inputs to the node; return the folder there.

        What other runs read, too, is brought to a node once.

        Raises:
            BadDataError: The dataset, or a file of weights, is gone.
        """
        read = inputs_of(self._workspace, self._plan)
        weights = self._weights_file()
        paths = [record.folder for record in read] + ([] if weights is None else [weights])
        key = node.fingerprint(paths) + (f"-{self._copy}" if self._copy else "")
        root = self._ask(node.Node.make_room, key)
        for record in read:
            if self._ask(node.Node.open_folder, _name(record), overwrite=False):
                self._send(record.folder, node.stamps_of(record.folder))
                self._ask(node.Node.close_folder)
        if weights is not None and self._ask(node.Node.open_folder, _WEIGHTS, overwrite=False):
            self._send(weights.parent, [weights.name])
            self._ask(node.Node.close_folder)
        self._ask(node.Node.open_folder, _name(self._record), overwrite=True)
        folder, plan_file = self._record.folder, self._record.plan_file.name
        others: tuple[str, ...] = (COMMANDS_FILE, LOG_FILE, plan_file)
        # Its copy of the weights is there already, once for all runs.
        others += () if weights is None else (STARTING_WEIGHTS,)
        self._send(folder, [name for name in node.stamps_of(folder) if name not in others])
        self._ask(node.Node.put, plan_file, self._plan_there(root, weights))
        self._files = self._ask(node.Node.close_folder)
        self._journal = (folder / JOURNAL_FILE).stat().st_size
        return str(Path(root, _name(self._record)))

    def poll(self) -> int | None:
        """Copy new data in both directions; return the exit code of a worker that ended.

        Raises:
            DiskFullError: No space was left here.
        """
        folder = self._record.folder
        lines = node.lines_from(folder / COMMANDS_FILE, self._commands)
        # Before the journal: a run resumed from a checkpoint never repeats earlier events.
        has_state = self._newer_state is not None and self._fetch(RESUME_FILE, _ARRIVED)
        if has_state and self._newer_state is not None:
            self._files[RESUME_FILE] = self._newer_state
        known = node.Known(self._journal, self._log, self._commands, self._files)
        news = self._ask(node.Node.poll, known, lines)
        self._commands += len(lines)
        changed = dict(news.files or {})
        self._newer_state = changed.pop(RESUME_FILE, None)
        # Files first: an event about a file must not arrive before it.
        for name, stamp in changed.items():
            if self._fetch(name, name):
                self._files[name] = stamp
        ending = _ending_of(news.journal)
        self._append_ending(news.journal.removesuffix(ending))
        if news.log:
            with (folder / LOG_FILE).open("ab") as log:
                log.write(news.log)
            self._log += len(news.log)
        if has_state:
            move(folder / _ARRIVED, folder / RESUME_FILE)
        if news.exit_code is not None:  # nothing changes from now on
            if self._newer_state is not None:
                self._fetch(RESUME_FILE, RESUME_FILE)
            self._append_ending(ending)
        return news.exit_code

    def close(self) -> None:
        """Close the journal, and forget a state that the journal does not reach."""
        self._writer.close()
        remove(self._record.folder / _ARRIVED)

    def _append_ending(self, lines: bytes) -> None:
        if lines:
            self._writer.append_lines(lines, durable=True)
            self._journal += len(lines)

    def _weights_file(self) -> Path | None:
        """Return the file that the weights come from, where they come from one."""
        if not is_weights_file(self._plan.weights):
            return None
        plan = with_available_weights(self._plan, self._record.folder)
        source = plan.weights
        path = user_path(source)
        if not path.is_file():
            raise BadDataError(
                "There is no file {file}.", "Check the path.", "weights", file=source
            )
        return path

    def _plan_there(self, root: str, weights: Path | None) -> bytes:
        """Return the plan as it is for the node, where files have other paths."""
        if weights is None:
            return self._record.plan_file.read_bytes()
        there = str(Path(root, _WEIGHTS, weights.name))
        return Job(self._record).plan(TrainingPlan).changed(weights=there).to_json().encode()

    def _send(self, folder: Path, names: Iterable[str]) -> None:
        for name in names:
            for piece in node.pieces_of(folder / name):
                self._ask(node.Node.put, name, piece)

    def _fetch(self, name: str, to: str) -> bool:
        """Copy a file atomically; return True if it still existed."""
        piece = self._ask(node.Node.read, name, 0, node.PIECE_BYTES)
        if piece is None:
            return False
        with (
            replacing(node.inside(self._record.folder, to)) as partial,
            partial.open("wb") as file,
        ):
            offset = 0
            while piece:
                file.write(piece)
                offset += len(piece)
                full = len(piece) == node.PIECE_BYTES
                piece = self._ask(node.Node.read, name, offset, node.PIECE_BYTES) if full else b""
        return True


def _ending_of(lines: bytes) -> bytes:
    """Return the last line if it reports the end: it is written when all files have arrived."""
    last = lines[lines.rfind(b"\n", 0, -1) + 1 :]
    try:
        event = decoder()(last) if last else None
    except DamagedLine:
        return b""
    is_ending = isinstance(event, StateChanged) and not event.state.has_worker
    return last if is_ending else b""


def _name(record: Record) -> str:
    return f"{record.kind.folder}/{record.id}"
