"""Decisions of the datasets page."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.survey import spread
from studio.engine.jobs.states import State
from studio.engine.progress import RateMeter
from studio.ui.pages.datasets.importing import rules, samples


def test_only_an_import_with_a_partial_file_continues() -> None:
    assert [value for value in State if rules.goes_on(value)] == [State.STOPPED, State.LOST]


def test_the_rate_follows_the_last_two_seconds() -> None:
    meter = RateMeter()
    assert meter.rate is None
    meter.add(0.0, 0)
    for tenth in range(1, 31):
        meter.add(tenth / 10, tenth * 10)
    assert meter.rate == pytest.approx(100)
    for tenth in range(31, 71):
        meter.add(tenth / 10, 300 + (tenth - 30))
    assert meter.rate == pytest.approx(10, rel=0.1)


def test_a_restarted_job_is_measured_again() -> None:
    meter = RateMeter()
    meter.add(0, 0)
    meter.add(1, 500)
    meter.add(2, 10)
    assert meter.rate is None


def test_a_used_name_is_reported_with_a_free_one() -> None:
    problem = rules.name_problem(" Flowers ", ["flowers", "flowers-2"])
    assert problem is not None
    assert "already taken" in problem.message
    assert '"Flowers-3"' in problem.hint
    assert rules.name_problem("trees", ["flowers"]) is None
    empty = rules.name_problem("  ", [])
    assert empty is not None
    assert empty.where == "name"


@given(st.text(max_size=200), st.lists(st.text(max_size=5), max_size=5))
def test_a_suggested_name_can_always_be_used(preferred: str, taken: list[str]) -> None:
    assert rules.name_problem(rules.unused_name(preferred, taken), taken) is None


@given(st.lists(st.integers(0, 12), max_size=20), st.integers(0, 8))
def test_previews_differ_and_come_from_as_many_classes_as_can_be(
    sizes: list[int], limit: int
) -> None:
    groups = [[(number, index) for index in range(size)] for number, size in enumerate(sizes)]
    chosen = spread(groups, limit)
    assert len(set(chosen)) == len(chosen) <= limit
    filled = sum(size > 0 for size in sizes)
    assert len({number for number, _ in chosen}) == min(filled, limit)


def test_advice_is_given_when_nothing_would_validate() -> None:
    recipe = DatasetRecipe(source="x")
    assert rules.advice(recipe) == []
    (found,) = rules.advice(recipe.changed(val_percent=0.0))
    assert found.where == "val_percent"
    assert not found.serious


def test_the_size_on_disk_is_that_of_the_pixels() -> None:
    recipe = DatasetRecipe(source="x", width=10, height=20, color="gray")
    assert rules.size_on_disk(recipe, 5) == 1000
    assert rules.size_on_disk(recipe.changed(color="rgb"), 5) == 3000


def test_a_finished_sample_is_preferred_to_one_on_its_way(tmp_path: Path) -> None:
    source = str(samples.sample_folder(tmp_path, SAMPLES["digits"]))
    recipe, other = DatasetRecipe(source=source), DatasetRecipe(source="/elsewhere")
    datasets = [
        ("failed", State.FAILED, recipe),
        ("other", State.COMPLETED, other),
        ("running", State.RUNNING, recipe),
        ("done", State.COMPLETED, recipe),
    ]
    assert samples.best_of_sample(datasets, tmp_path, "digits") == "done"
    assert samples.best_of_sample(datasets[:3], tmp_path, "digits") == "running"
    assert samples.best_of_sample(datasets[:2], tmp_path, "digits") == ""


def test_a_sample_with_a_table_is_found_again(tmp_path: Path) -> None:
    folder = samples.sample_folder(tmp_path, SAMPLES["digits_regression"])
    recipe = DatasetRecipe(source=str(folder / "targets.csv"))
    datasets = [("done", State.COMPLETED, recipe)]
    assert samples.best_of_sample(datasets, tmp_path, "digits_regression") == "done"
    assert samples.best_of_sample(datasets, tmp_path, "digits") == ""
