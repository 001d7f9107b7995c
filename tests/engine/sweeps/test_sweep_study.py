"""Optuna's part of a sweep: asked and told, closed and opened again, without any training."""

from __future__ import annotations

import math
import random
import statistics
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from helpers.processes import run_python
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.space import grid
from studio.engine.sweeps.study import STUDY_FILE, Asked, StoredTrial, StudyState, SweepStudy


def _plan(*vary: str, epochs: int = 27, **fields: Any) -> SweepPlan:
    return SweepPlan.parse(
        {
            "base": {"dataset": "d", "epochs": epochs},
            "dimensions": [each.model_dump() for each in parse_dimensions(vary)],
            **fields,
        }
    )


def _next(study: SweepStudy) -> Asked:
    asked = study.ask()
    assert asked is not None
    return asked


GRID = _plan("batch_size=8,16,32", "learning_rate=0.1,0.01", "shuffle=on,off")


def test_a_grid_is_done_completely_and_each_point_once(tmp_path: Path) -> None:
    study = SweepStudy(GRID, tmp_path)
    done = []
    while (asked := study.ask()) is not None:
        done.append(asked.values)
        study.tell(asked.number, "complete", [0.5])

    assert done == list(grid(GRID))


@pytest.mark.parametrize("sampler", ["random", "tpe"])
@pytest.mark.parametrize("killed", [False, True])
def test_what_is_drawn_from_lists_is_never_drawn_twice(
    sampler: str, killed: bool, tmp_path: Path
) -> None:
    plan = _plan("batch_size=8,16,32", "shuffle=on,off", sampler=sampler, trials=50)
    study = SweepStudy(plan, tmp_path)
    done = []
    while (asked := study.ask()) is not None:
        if killed:
            study = SweepStudy(plan, tmp_path)
        done.append(asked.values)
        study.tell(asked.number, "complete", [float(asked.values["batch_size"])])

    assert sorted(map(str, done)) == sorted(map(str, grid(plan)))


def test_who_was_killed_drawing_twice_does_not_do_it_twice(tmp_path: Path) -> None:
    plan = _plan("batch_size=8,16", sampler="random", trials=50)
    study = SweepStudy(plan, tmp_path)
    first = _next(study)
    study._study.enqueue_trial(first.values)
    study._study.ask(fixed_distributions=study._distributions)  # and killed here
    study._study.ask()  # or here, before it had any value

    again = SweepStudy(plan, tmp_path)
    waits = again.running()

    assert waits[0] == first
    assert not again.is_running(1)
    while (asked := again.ask()) is not None:
        waits.append(asked)
    assert sorted(each.values["batch_size"] for each in waits) == [8, 16]


def test_a_reopened_study_continues_where_it_stopped(tmp_path: Path) -> None:
    done: list[Any] = []
    for _ in range(len(list(grid(GRID)))):
        study = SweepStudy(GRID, tmp_path)  # every time as after a kill
        waits = study.running()
        assert len(waits) <= 1
        asked = waits[0] if waits else _next(study)
        if len(done) % 2 == 0 and not waits:
            study = SweepStudy(GRID, tmp_path)  # killed between ask and tell
            assert [asked] == study.running()
        study.tell(asked.number, "complete", [0.1])
        study.tell(asked.number, "fail")  # told twice: the first counts
        done.append(asked.values)

    assert done == list(grid(GRID))
    assert SweepStudy(GRID, tmp_path).ask() is None


def test_a_study_cut_off_anywhere_is_opened_and_its_grid_completed(tmp_path: Path) -> None:
    study = SweepStudy(GRID, tmp_path)
    created = (tmp_path / STUDY_FILE).stat().st_size
    for _ in range(5):
        study.tell(_next(study).number, "complete", [0.5])
    whole = (tmp_path / STUDY_FILE).read_bytes()
    chance = random.Random(4)

    for cut in [created, *(chance.randrange(created, len(whole)) for _ in range(12))]:
        (tmp_path / STUDY_FILE).write_bytes(whole[:cut])
        again = SweepStudy(GRID, tmp_path)
        seen = {asked.number: asked.values for asked in again.running()}
        for asked in again.running():
            again.tell(asked.number, "complete", [0.5])
        while (asked_now := again.ask()) is not None:
            seen[asked_now.number] = asked_now.values
            again.tell(asked_now.number, "complete", [0.5])
        points = list(grid(GRID))
        assert all(points.count(values) == 1 for values in seen.values())
        assert seen == dict(list(enumerate(points))[len(points) - len(seen) :])


def test_values_are_added_while_it_goes(tmp_path: Path) -> None:
    before = _plan("batch_size=8,16", "learning_rate=0.1")
    study = SweepStudy(before, tmp_path)
    first, second = _next(study), _next(study)
    study.tell(first.number, "complete", [0.5])

    after = _plan("batch_size=8,16,32", "learning_rate=0.1,0.01")
    grown = SweepStudy(after, tmp_path)

    assert grown.running() == [second]
    assert not grown.is_running(first.number)
    rest = []
    while (asked := grown.ask()) is not None:
        rest.append(asked.values)
    assert [first.values, second.values, *rest] == [
        {"batch_size": 8, "learning_rate": 0.1},
        {"batch_size": 16, "learning_rate": 0.1},
        {"batch_size": 8, "learning_rate": 0.01},
        {"batch_size": 16, "learning_rate": 0.01},
        {"batch_size": 32, "learning_rate": 0.1},
        {"batch_size": 32, "learning_rate": 0.01},
    ]


def _distance(values: dict[str, Any]) -> float:
    """How far a trial is from the best rate, momentum and smoothing, in tens of ten."""
    rate = math.log10(values["learning_rate"]) + 3.2
    momentum = 4 * (values["optimizer_options.momentum"] - 0.85)
    return float(rate**2 + momentum**2 + (4 * (values["label_smoothing"] - 0.1)) ** 2)


def _reached(sampler: str, seed: int, trials: int) -> float:
    plan = _plan(
        "learning_rate=1e-6..1",
        "optimizer_options.momentum=0..0.99",
        "label_smoothing=0..0.9",
        sampler=sampler,
        trials=trials,
        objectives=["loss"],
        sampler_seed=seed * 1000,
    )
    study = SweepStudy(plan, None)
    found = []
    for _ in range(trials):
        asked = _next(study)
        found.append(_distance(asked.values))
        study.tell(asked.number, "complete", [found[-1]])
    return min(found)


def test_tpe_gets_nearer_to_the_best_than_chance() -> None:
    trials, repeats = 50, 15
    tpe = [_reached("tpe", seed, trials) for seed in range(repeats)]
    chance = [_reached("random", seed, trials) for seed in range(repeats)]

    assert sum(one < other for one, other in zip(tpe, chance, strict=True)) >= 11
    assert statistics.median(tpe) < statistics.median(chance) / 2


_NEEDS_TORCH = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


@_NEEDS_TORCH
def test_a_gaussian_process_gets_nearer_to_the_best_than_chance() -> None:
    trials, repeats = 20, 3
    gp = [_reached("gp", seed, trials) for seed in range(repeats)]
    chance = [_reached("random", seed, trials) for seed in range(repeats)]

    assert all(one < other for one, other in zip(gp, chance, strict=True))
    assert max(gp) < 0.5


@pytest.mark.parametrize(
    "sampler",
    ["random", "tpe", "cmaes", "quasi_random", pytest.param("gp", marks=_NEEDS_TORCH)],
)
def test_kills_change_nothing_about_what_is_chosen(sampler: str, tmp_path: Path) -> None:
    plan = _plan(
        "learning_rate=1e-5..1", "label_smoothing=0..0.9", sampler=sampler, trials=14,
        objectives=["loss"],
    )  # fmt: skip

    def chosen(folder: Path, *, killed: bool) -> list[Any]:
        study, found = SweepStudy(plan, folder), []
        for number in range(14):
            if killed:
                study = SweepStudy(plan, folder)
            asked = _next(study)
            found.append(asked.values)
            study.tell(asked.number, "complete", [abs(float(asked.values["learning_rate"]) - 0.1)])
            assert asked.number == number
        return found

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    steady, killed = (chosen(tmp_path / name, killed=name == "b") for name in "ab")
    assert steady == killed
    assert len({values["learning_rate"] for values in steady}) == 14


@pytest.mark.parametrize(("pruner", "epochs"), [("asha", 27), ("hyperband", 27), ("median", 27)])
def test_most_epochs_go_to_good_trials(pruner: str, epochs: int) -> None:
    plan = _plan(
        "learning_rate=0.001..1", sampler="random", trials=40, pruner=pruner, epochs=epochs
    )
    study, spent = SweepStudy(plan, None), {}
    for _ in range(40):
        asked = _next(study)
        quality = 1 - abs(math.log10(float(asked.values["learning_rate"])) + 1)
        for epoch in range(1, epochs + 1):
            spent[quality] = epoch
            if study.report(asked.number, epoch, quality * (1 - 0.9**epoch)):
                study.tell(asked.number, "pruned")
                break
        else:
            study.tell(asked.number, "complete", [quality])

    order = sorted(spent, reverse=True)
    good, bad = order[:8], order[-8:]
    assert sum(spent.values()) < 0.8 * 40 * epochs
    assert sum(spent[each] for each in good) > 1.5 * sum(spent[each] for each in bad)
    assert spent[order[0]] == epochs


def test_without_a_pruner_nothing_ends_early() -> None:
    study = SweepStudy(_plan("learning_rate=0.1..1", sampler="random", trials=9), None)
    for number in range(9):
        assert not study.report(_next(study).number, 1, float(-number))


def test_a_repeated_failed_trial_counts_once(tmp_path: Path) -> None:
    study = SweepStudy(_plan("batch_size=8,16"), tmp_path)
    asked = _next(study)
    study.tell(asked.number, "fail")

    for _ in range(2):
        study.add_rerun(asked.number, asked.values, [0.9])

    assert [trial.values for trial in study._study.get_trials()] == [None, [0.9]]


def test_a_study_whose_file_is_lost_is_rebuilt(tmp_path: Path) -> None:
    study = SweepStudy(GRID, tmp_path)
    asked = [_next(study) for _ in range(4)]
    (tmp_path / STUDY_FILE).unlink()
    states: tuple[StudyState, ...] = ("COMPLETE", "FAIL", "PRUNED")
    reported = [
        StoredTrial(each.number, each.values, state, (0.5,))
        for each, state in zip(asked, states, strict=False)
    ]

    study = SweepStudy(GRID, tmp_path)
    # A number was left out: the study used it for itself.
    study.restore([*reported, StoredTrial(5, asked[3].values, "RUNNING")])

    assert [each.number for each in study.running()] == [5]
    following = _next(study)
    assert (following.number, following.values) == (6, list(grid(GRID))[4])
    again = SweepStudy(GRID, tmp_path)
    again.restore(reported)
    assert _next(again).number == 7, "what it knows is not told twice"


def test_a_damaged_study_is_quarantined_and_rebuilt(tmp_path: Path) -> None:
    study = SweepStudy(GRID, tmp_path)
    asked = [_next(study) for _ in range(2)]
    path = tmp_path / STUDY_FILE
    damaged = path.read_bytes().replace(b'"op_code"', b'"op\xc3"', 3)
    path.write_bytes(damaged)

    study = SweepStudy(GRID, tmp_path)

    assert study.damaged is not None
    assert study.damaged.read_bytes() == damaged
    study.restore([StoredTrial(each.number, each.values, "COMPLETE", (0.5,)) for each in asked])
    assert _next(study).number == 2
    assert SweepStudy(GRID, tmp_path).damaged is None


def test_a_moved_trial_comes_where_it_was_put(tmp_path: Path) -> None:
    study = SweepStudy(GRID, tmp_path)
    points = list(grid(GRID))
    done = [_next(study).values for _ in range(2)]
    moves = [(points[7], points[2]), (points[3], None), (points[0], points[9])]

    study.reorder(moves)
    done.append(_next(study).values)
    study = SweepStudy(GRID, tmp_path, moves)
    while (asked := study.ask()) is not None:
        done.append(asked.values)

    assert done == [points[at] for at in (0, 1, 7, 2, 4, 5, 6, 8, 9, 10, 11, 3)]


def test_plans_and_results_are_read_without_optuna() -> None:
    modules = ["fields", "plan", "requests", "rows", "space", "study"]
    code = "import sys\n" + "\n".join(f"import studio.engine.sweeps.{name}" for name in modules)
    done = run_python(f"{code}\nprint('optuna' in sys.modules)")

    assert done.stdout.strip() == "False", done.stderr
