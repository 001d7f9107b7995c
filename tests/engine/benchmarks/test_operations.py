"""All ways to do an operation give the same, to rounding; and a whole benchmark of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.command_line import caller
from helpers.digits import do_here
from helpers.sampling import few_examples
from studio.engine.benchmarks.operations import (
    OPERATIONS,
    OperationName,
    OperationsPlan,
    OperationsReport,
    Timing,
    with_speed_ups,
)
from studio.engine.benchmarks.requests import request_operations
from studio.engine.compute.benchmarks.operations import ROUNDING, OperationCase, task_of
from studio.engine.errors import StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.workspace import Workspace


def exact(task: OperationCase) -> NDArray[np.float64]:
    """The result in 64 bits, by the definition and with none of the ways."""
    first, *others = (each.astype(np.float64) for each in task.given)
    if task.name == "matrix_product":
        result = np.einsum("ij,jk->ik", first, others[0])
    elif task.name == "addition":
        result = first + others[0]
    elif task.name == "convolution":
        size, side = len(others[0]), len(first) - len(others[0]) + 1
        shifted = [
            first[row : row + side, column : column + side] @ others[0][row, column]
            for row in range(size)
            for column in range(size)
        ]
        result = np.sum(shifted, axis=0)
    else:
        count = len(first) // task.window
        cut = first[: count * task.window, : count * task.window]
        result = cut.reshape(count, task.window, count, task.window, -1).max(axis=(1, 3))
    return np.asarray(result, np.float64)


@settings(max_examples=few_examples())
@given(
    st.sampled_from(list(OPERATIONS)),
    st.integers(1, 9),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(0, 2**31 - 1),
)
def test_all_ways_agree_to_rounding(
    name: OperationName, size: int, kernel: int, channels: int, filters: int, pool: int, seed: int
) -> None:
    size = max(size, kernel, pool)
    plan = OperationsPlan(
        sizes=(size,), kernel=kernel, channels=channels, filters=filters, pool=pool, seed=seed
    )
    task = task_of(name, size, plan)
    right, tolerance = exact(task), task.tolerance()

    for result in (
        np.array(task.with_loops()()),
        task.with_numpy(),
        np.asarray(task.on_backend(task.for_backend())).reshape(right.shape),
    ):
        assert result.shape == right.shape
        assert np.abs(result - right).max() <= tolerance / 2 + ROUNDING * np.abs(right).max()
    # A single wrong weight would be seen.
    wrong = OperationCase(
        task.name, size, (task.given[0] + 0.01, *task.given[1:]), 0, pool, task.terms
    )
    assert np.abs(wrong.with_numpy() - right).max() > tolerance


def test_speed_up_is_against_the_first_way_that_was_timed() -> None:
    timings = with_speed_ups(
        [
            Timing(way="loops", reason="long"),
            Timing(way="numpy", seconds=4),
            Timing(way="cpu"),
            Timing(way="gpu:0", seconds=0.5),
        ]
    )
    assert [each.speed_up for each in timings] == [None, 1, None, 8]


def test_a_benchmark_of_operations_is_a_job(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = OperationsPlan.parse({"sizes": "8,128", "repeats": 2, "loop_seconds": 0.03})
    with pytest.raises(StudioError, match="a window of 3 pixels does not fit into an image of 2"):
        request_operations(JobQueue(workspace), plan.changed(sizes="2"), "ops")

    job = do_here(workspace, plan, "ops")

    assert job.history.state == State.COMPLETED, job.history.reason
    report = OperationsReport.read(job.record.folder)
    assert report is not None
    assert report.agree
    assert report.others_share is not None
    assert 0 <= report.others_share <= 1
    assert [(each.operation, each.size) for each in report.operations] == [
        (name, size) for name in OPERATIONS for size in (8, 128)
    ]
    product = report.operations[3]
    loops, numpy, cpu = product.timings
    assert loops.seconds is None  # 2 million multiply-adds of Python take longer than that
    assert "would take about" in loops.reason
    assert (product.work, product.bytes_in, product.bytes_out) == (
        2 * 128**3,
        2 * 4 * 128**2,
        65536,
    )
    assert numpy.seconds is not None
    assert numpy.flops == pytest.approx(product.work / numpy.seconds)
    assert cpu.speed_up is not None
    assert cpu.to_device_seconds is not None
    assert cpu.from_device_seconds is not None
    assert report.operations[0].timings[0].speed_up == 1
    call = caller(capsys, workspace.root)
    shown = call("bench", "show", "ops").out
    assert "GFLOP/s" in shown
    assert "All results agree" in shown
    assert f"at most {max(each.tolerance for each in report.operations):.3g}" in shown
    assert call("bench", "show", "ops", "--json").document["agree"] is True
    assert "no tables of cells" in call("bench", "show", "ops", "--to", "out").mistake
    stopped = do_here(workspace, plan, "again", stop_when=lambda history: True)
    assert stopped.history.state in (State.STOPPED, State.COMPLETED)
