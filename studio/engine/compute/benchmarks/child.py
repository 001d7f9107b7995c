"""The process of one cell of a study. Started as `studio measure FOLDER NUMBER`.

It leaves a file that says how it ended, for the worker that leads the study.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from pathlib import Path

from studio.engine.benchmarks.plan import StudyPlan, spots_of
from studio.engine.benchmarks.results import Figures, Outcome, outcome_file
from studio.engine.compute.benchmarks.cell import measure
from studio.engine.compute.shortage import is_out_of_memory
from studio.engine.documents import write_document
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.workspace import Record, RecordKind, Workspace

_INPUT = 0
_FIRST_TO_GO = "1000"


def main(folder: Path, number: int) -> int:
    """Measure a cell; the exit code is 0 whenever the file says how it ended."""
    began = time.monotonic()
    threading.Thread(target=_end_with_input, name="lifeline", daemon=True).start()
    # When memory runs out, the system is to end this process, and not the one that leads us.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    plan = Job(Record(RecordKind.BENCHMARK, folder)).plan(StudyPlan)
    workspace = Workspace(folder.parent.parent)
    outcome = outcome_of(workspace, folder, plan, number, began + 60 * plan.cell_minutes)
    write_document(outcome_file(folder, number), outcome)
    return 0


def outcome_of(
    workspace: Workspace, folder: Path, plan: StudyPlan, number: int, until: float
) -> Outcome:
    """Measure a cell, and say how that ended, whatever went wrong.

    Args:
        workspace: Where the dataset is.
        folder: Of the study; the steps are left there.
        plan: The study.
        number: Of the cell.
        until: When its time is over, by `time.monotonic`.
    """
    spot = spots_of(plan)[number]
    try:
        figures = measure(workspace, folder, plan, number, until)
    except StudioError as error:
        return Outcome(state="failed", reason=str(error))
    except MemoryError:
        return _no_memory(spot.batch)
    except Exception as error:  # noqa: BLE001 - whatever it was, the study goes on and shows it
        if is_out_of_memory(error):
            return _no_memory(spot.batch)
        traceback.print_exc()
        lines = str(error).strip().splitlines() or [""]
        return Outcome(state="failed", reason=f"{type(error).__name__}: {lines[0][:300]}")
    return _told(plan, figures, plan.epochs * (plan.images // spot.batch))


def _told(plan: StudyPlan, figures: Figures | None, wanted: int) -> Outcome:
    if figures is None:
        minutes = f"{plan.cell_minutes:g} minutes"
        return Outcome(state="timed_out", reason=f"Not one step was timed within {minutes}.")
    reason = ""
    if figures.steps < wanted:
        reason = f"Its time was over after {figures.steps:,} of {wanted:,} steps."
    return Outcome(state="measured", reason=reason, figures=figures)


def _no_memory(batch: int) -> Outcome:
    return Outcome(state="no_memory", reason=f"Batches of {batch} do not fit into memory.")


def _end_with_input() -> None:
    # Not through `sys.stdin`: a thread that waits in that aborts the interpreter when it ends.
    while os.read(_INPUT, 1):
        pass
    os._exit(1)  # whoever led us is gone, and nobody would read what we measure
