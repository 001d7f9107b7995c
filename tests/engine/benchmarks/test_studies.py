"""Arithmetic of studies, their tables and their advice: no process, no Keras."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.benchmarks.advice import NEARLY, advise
from studio.engine.benchmarks.plan import CellKey, StudyPlan, cell_keys, study_problems
from studio.engine.benchmarks.results import (
    AVERAGE_COLUMNS,
    STEP_COLUMNS,
    Cell,
    CellFigures,
    CellOutcome,
    MeasuredStep,
    cells_of,
    counts_of,
    read_beside,
    read_steps,
    speed_ups,
    steps_file,
    write_steps,
    write_tables,
)
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError

PLAN = StudyPlan.parse(
    {
        "networks": "lenet,mlp",
        "devices": "cpu,gpu:0",
        "batch_sizes": "1, 8,8",
        "precision": ["float32", "mixed_bfloat16"],
    }
)


def measured(number: int, step_seconds: float) -> Cell:
    figures = CellFigures(
        steps=3, step_seconds=step_seconds, median_step_seconds=step_seconds, warm_up_seconds=1
    )
    return Cell.of(number, cell_keys(PLAN)[number], CellOutcome(state="measured", figures=figures))


def test_a_plan_is_typed_with_commas_and_says_what_is_wrong() -> None:
    keys = cell_keys(PLAN)

    assert PLAN.batch_sizes == (1, 8)
    assert len(keys) == len(set(keys)) == 2 * 2 * 2 * 2
    assert keys[:2] == [
        CellKey("lenet", "tensorflow", "float32", "cpu", 1),
        CellKey("lenet", "tensorflow", "float32", "gpu:0", 1),
    ]
    assert StudyPlan.parse(PLAN.model_dump()) == PLAN
    with pytest.raises(StudioError, match=r"precision.*float32"):
        StudyPlan.parse({"precision": "float31"})
    with pytest.raises(StudioError, match=r"batch_sizes"):
        StudyPlan.parse({"batch_sizes": "1,none"})
    with pytest.raises(StudioError, match="at least one is required"):
        StudyPlan.parse({"devices": " , "})

    wrong = PLAN.changed(networks="lenett,alexnet", size=32, devices="cpu:2,tpu", images=4)
    problems = study_problems(wrong)
    assert [each.where for each in problems] == ["networks"] * 2 + ["devices"] * 2 + [
        "batch_sizes"
    ]
    assert study_problems(PLAN) == []

    masks = DatasetSummary(
        task="segmentation",
        width=64,
        height=64,
        channels=3,
        classes=["sky", "road"],
        count={"train": 8, "val": 4, "test": 4},
        class_counts={},
        skipped=0,
        mean_color=[1.0] * 3,
    )
    (problem,) = study_problems(PLAN.changed(networks="small_unet,small_cnn"), masks)
    assert "predicts one result for each image" in problem.message
    assert "small_unet" in problem.hint


def test_speed_up_is_against_the_same_cell_on_the_first_device() -> None:
    keys = cell_keys(PLAN)
    # batches of 8 on the GPU are 4 times as fast, those of 1 half as fast
    times = {
        number: {("cpu", 1): 0.1, ("gpu:0", 1): 0.2, ("cpu", 8): 0.8, ("gpu:0", 8): 0.2}[
            key.device, key.batch
        ]
        for number, key in enumerate(keys)
        if key.network == "lenet" and key.precision == "float32"
    }
    alone = next(n for n, key in enumerate(keys) if key.network == "mlp" and n % 2)
    known = {number: measured(number, seconds) for number, seconds in times.items()}
    known[alone] = measured(alone, 1.0)
    no_room = keys.index(CellKey("mlp", "tensorflow", "float32", "cpu", 8))
    known[no_room] = Cell.of(no_room, keys[no_room], CellOutcome(state="no_memory", reason="full"))

    cells = cells_of(PLAN, known)
    gains = speed_ups(cells, PLAN.devices)

    assert [cell.number for cell in cells] == list(range(len(keys)))
    assert counts_of(cells) == {"measured": 5, "no_memory": 1, "waiting": 10}
    by_key = {(keys[n].device, keys[n].batch): gain for n, gain in gains.items() if n != alone}
    assert by_key == pytest.approx(
        {("cpu", 1): 1, ("gpu:0", 1): 0.5, ("cpu", 8): 1, ("gpu:0", 8): 4}
    )
    assert alone not in gains
    assert cells[1].images_per_second == pytest.approx(5)


def test_advice_takes_the_fastest_and_what_is_easier_where_that_is_nearly_as_fast() -> None:
    keys = cell_keys(PLAN)

    def at(precision: str, device: str, batch: int) -> int:
        return keys.index(CellKey("lenet", "tensorflow", precision, device, batch))

    slow = measured(at("float32", "cpu", 8), 8.0)
    fast = measured(at("mixed_bfloat16", "gpu:0", 8), 0.08)
    easier = measured(at("float32", "gpu:0", 8), 0.08 / (NEARLY + 0.01))
    smaller = measured(at("float32", "gpu:0", 1), 0.01 / (NEARLY + 0.02))

    def best(*cells: Cell) -> int:
        advice = advise(cells, "lenet")
        assert advice is not None
        return advice.best.number

    assert best(slow, fast) == fast.number
    assert best(slow, fast, easier) == easier.number
    assert best(slow, fast, easier, smaller) == smaller.number
    advice = advise([slow, fast, easier], "lenet")
    assert advice is not None
    assert advice.fastest == fast
    assert "gpu:0 with tensorflow, float32 and batches of 8" in advice.text
    assert "mixed_bfloat16" in advice.text
    assert advise([slow], "mlp") is None
    assert advise(cells_of(PLAN, {}), "lenet") is None


@given(
    st.dictionaries(
        st.integers(0, len(cell_keys(PLAN)) - 1),
        st.lists(
            st.tuples(
                st.floats(0, 1e6) | st.just(math.nan), st.floats(1e-6, 1e4, exclude_min=True)
            ),
            min_size=1,
            max_size=4,
        ),
    )
)
def test_tables_are_read_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, reported: dict[int, list[tuple[float, float]]]
) -> None:
    folder = tmp_path_factory.mktemp("study")
    cells = []
    for number, pairs in reported.items():
        steps = [MeasuredStep(at + 1, loss, seconds) for at, (loss, seconds) in enumerate(pairs)]
        write_steps(steps_file(folder, number), steps)
        again = read_steps(folder, number)
        assert [each.number for each in again] == [each.number for each in steps]
        assert [each.loss for each in again] == pytest.approx(
            [each.loss for each in steps], rel=1e-8, nan_ok=True
        )
        cells.append(measured(number, sum(seconds for _, seconds in pairs) / len(pairs)))
    waiting = Cell.of(0, cell_keys(PLAN)[0], CellOutcome(state="waiting"))

    steps_csv, averages_csv = write_tables(folder, [*cells, waiting], folder / "out ü")

    assert steps_csv.read_text().splitlines()[0] == ",".join(STEP_COLUMNS)
    assert averages_csv.read_text().splitlines()[0] == ",".join(AVERAGE_COLUMNS)
    for table in (steps_csv, averages_csv):
        beside = read_beside(table)
        assert [each.key for each in beside] == [cell.key for cell in cells]
        assert [each.image_seconds for each in beside] == pytest.approx(
            [cell.image_seconds for cell in cells], rel=1e-6
        )


def test_foreign_tables_may_be_simpler_and_invalid_ones_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "server.csv"
    table.write_text("\ufeffnetwork, mode, batch, avg_time\nAlexNet, GPU, 4, 0.02\n", "utf-8")
    (cell,) = read_beside(table)
    assert (cell.machine, cell.key) == ("server", CellKey("AlexNet", "", "", "GPU", 4))
    assert cell.image_seconds == pytest.approx(0.005)

    for text, said in (
        ("a,b\n1,2\n", "its columns are a, b"),
        ("network,mode,batch,avg_time\nx,cpu,0,1\n", "Line 2"),
        ("network,mode,batch,avg_time\nx,cpu,1,1\nx,cpu,1,-1\n", "Line 3"),
        ("network,mode,batch,avg_time\nx,cpu\n", "Line 2"),
        ("", "none"),
    ):
        table.write_text(text)
        with pytest.raises(StudioError, match=said):
            read_beside(table)
    with pytest.raises(StudioError, match="cannot be read"):
        read_beside(tmp_path / "gone.csv")
    steps_file(tmp_path, 0).parent.mkdir()
    steps_file(tmp_path, 0).write_text("step,loss,time\n1,x,1\n")
    with pytest.raises(StudioError, match="cannot be read"):
        read_steps(tmp_path, 0)


def test_options_stay_with_their_network_in_a_list() -> None:
    text = "pattern:stages=2,dense=0, lenet,pattern:stages=1"
    plan = StudyPlan.parse({"networks": text, "size": 32})
    assert plan.networks == ("pattern:stages=2,dense=0", "lenet", "pattern:stages=1")
    assert StudyPlan.parse(plan.model_dump(mode="json")) == plan
    assert study_problems(plan.changed(images=512)) == []
    (problem,) = study_problems(plan.changed(networks="pattern:stagges=2", images=512))
    assert "stagges" in problem.message
