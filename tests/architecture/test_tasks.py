"""A task is known to its own folders only; everybody else asks it."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

import studio
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import AUTO, Task

PRODUCT = Path(studio.__file__).parent
OWN = tuple(PRODUCT / each for each in ("engine/tasks", "engine/compute/tasks", "ui/tasks"))


def _names_a_task(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in TASKS
    if isinstance(node, ast.ImportFrom):
        parts = (node.module or "").split(".")
        return "tasks" in parts and not TASKS.keys().isdisjoint(parts)
    return False


def test_no_module_outside_their_folders_names_a_task() -> None:
    outside = [path for path in PRODUCT.rglob("*.py") if not any(map(path.is_relative_to, OWN))]
    naming = [
        f"{path.relative_to(PRODUCT)}:{getattr(node, 'lineno', 0)}"
        for path in outside
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _names_a_task(node)
    ]

    assert len(outside) > 500
    assert naming == []


def test_the_check_finds_names_of_tasks() -> None:
    lines = (
        "x = task == 'regression'",
        "from studio.engine.tasks.classification.task import TOP",
        "from studio.engine.compute.tasks.multi_label import LabelLoss",
    )
    for line in lines:
        assert any(map(_names_a_task, ast.walk(ast.parse(line)))), line
    fine = "from studio.engine.tasks import TASKS; x = 'regression of the loss'"
    assert not any(map(_names_a_task, ast.walk(ast.parse(fine))))


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_task_is_complete(task: Task) -> None:
    names = [spec.name for spec in task.measured]

    assert len(set(names)) == len(names)
    assert task.monitored(AUTO) == task.primary
    assert task.primary.is_validation
    assert "loss" in task.step_metrics
    assert set(task.step_metrics) <= {spec.name for spec in task.metrics}
    assert all(spec.summary and spec.label and spec.validation_label for spec in task.metrics)
    assert task.predictor.columns or task.has_targets
    assert task.has_targets == (task.targets is not None) == (task.reporter is not None)
    assert importlib.util.find_spec(task.learning) is not None
