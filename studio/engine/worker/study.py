"""The worker of a benchmark: has every cell measured in a separate process, one by one.

It computes nothing and never imports Keras. The journal records the finished cells, so a process
that continues after a kill measures only the others.
"""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

from studio.engine.benchmarks import results
from studio.engine.benchmarks.history import BenchmarkContext, CellChanged
from studio.engine.benchmarks.plan import CellKey, StudyPlan, cell_keys
from studio.engine.documents import read_document
from studio.engine.files import remove
from studio.engine.jobs.devices import environment_for, machine_devices
from studio.engine.jobs.launch import LOG_FILE, command, environment
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.progress import Cancelled

POLL_SECONDS = 0.05
GRACE_SECONDS = 60.0
"""Seconds after the time limit of a cell until its process is killed."""


def launch_cell(folder: Path, number: int, device: str) -> subprocess.Popen[bytes]:
    """Start the process of a cell; it ends when its standard input is closed, as by our death.

    Args:
        folder: The study.
        number: Number of the cell.
        device: The only one that it sees.

    Raises:
        OSError: The process could not be started.
    """
    with (folder / LOG_FILE).open("ab") as log:
        return subprocess.Popen(
            command("measure", str(folder), str(number)),
            cwd=folder,
            env=environment_for(environment(), (device,)),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )


class Study:
    """Runs the cells of one study.

    Args:
        context: The study.
    """

    def __init__(self, context: BenchmarkContext) -> None:
        self._context = context
        self._plan = context.job.plan(StudyPlan)
        self._cells = dict(context.job.history.cells)
        self._pause = threading.Event()
        minutes = self._plan.minutes
        self._until = None if minutes is None else time.monotonic() + 60 * minutes

    def work(self) -> State:
        """Continue until every cell has ended or the time limit is reached.

        Raises:
            Cancelled: The job was asked to end; finished measurements are stored.
        """
        keys = cell_keys(self._plan)
        state = State.COMPLETED
        for number, key in enumerate(keys):
            self._report_progress(len(keys))
            if number in self._cells and self._cells[number].outcome.state in results.OVER:
                continue
            if self._until is not None and time.monotonic() >= self._until:
                self._context.warn(
                    message(
                        "The time limit of {minutes:g} minutes is reached. Resume the benchmark "
                        "to continue for the same time again.",
                        minutes=self._plan.minutes,
                    )
                )
                state = State.PAUSED
                break
            outcome = self._measured(number, key)
            if outcome is None:
                raise Cancelled
            self._note(number, key, outcome)
        self._report_progress(len(keys))
        counts = results.counts_of(results.cells_of(self._plan, self._cells))
        self._context.result({"cells": len(keys), "states": counts})
        return state

    def _report_progress(self, total: int) -> None:
        over = sum(cell.outcome.state in results.OVER for cell in self._cells.values())
        self._context.advance(over, total, "Cells")

    def _note(self, number: int, key: CellKey, outcome: results.CellOutcome) -> None:
        self._cells[number] = results.Cell.of(number, key, outcome)
        self._context.emit(CellChanged(cell=self._cells[number]), durable=True)

    def _measured(self, number: int, key: CellKey) -> results.CellOutcome | None:
        """Measure a cell and return its outcome; None if the study must end before it."""
        if self._context.ending() is not None:
            return None
        there = [device.name for device in machine_devices()]
        if key.device not in there:
            return results.CellOutcome(
                state="failed", reason=message("This machine has no {device}.", device=key.device)
            )
        self._note(number, key, results.CellOutcome(state="running"))
        folder = self._context.folder
        for left_over in (
            results.outcome_file(folder, number),
            results.steps_file(folder, number),
        ):
            remove(left_over)
        process = launch_cell(folder, number, key.device)
        try:
            return self._followed(number, process)
        finally:
            process.kill()
            process.communicate()

    def _followed(
        self, number: int, process: subprocess.Popen[bytes]
    ) -> results.CellOutcome | None:
        limit = 60 * self._plan.cell_minutes
        latest = time.monotonic() + limit + GRACE_SECONDS
        while process.poll() is None:
            if self._context.ending() is not None:
                return None
            if time.monotonic() > latest:
                minutes = message("{minutes:g} minutes", minutes=self._plan.cell_minutes)
                return results.CellOutcome(
                    state="timed_out",
                    reason=message("It did not finish within {duration}.", duration=minutes),
                )
            self._pause.wait(POLL_SECONDS)
        path = results.outcome_file(self._context.folder, number)
        outcome = read_document(path, results.CellOutcome, "cell", "Measure again.")
        return outcome or _of_death(process.returncode)


def _of_death(exit_code: int) -> results.CellOutcome:
    if exit_code == results.KILLED:  # the cell offers itself as the first to go
        return results.CellOutcome(state="no_memory", reason=results.KILLED_REASON)
    how = (
        message("signal {signal}", signal=-exit_code)
        if exit_code < 0
        else message("exit code {code}", code=exit_code)
    )
    return results.CellOutcome(
        state="failed",
        reason=message("Its process died ({cause}); see {file}.", cause=how, file=LOG_FILE),
    )


def benchmark(context: BenchmarkContext) -> State:
    """Run the cells of a benchmark of trainings; never imports Keras."""
    return Study(context).work()
