"""A task is known to its own folders only; everybody else asks it."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

import studio
from helpers.sources import parsed
from studio.engine.evaluation.opened import OpenedEvaluation, evaluation_class
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import AUTO, Task

PRODUCT = Path(studio.__file__).parent
OWN = tuple(
    PRODUCT / each
    for each in (
        "engine/tasks",
        "engine/compute/tasks",
        "engine/labeling/editors",
        "engine/labeling/values.py",
        "ui/tasks",
        "ui/pages/label/tools",
        "ui/widgets/overlay.py",
    )
)
"""Objects of tasks; their own modules know them."""


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
        for node in ast.walk(parsed(path.read_text(encoding="utf-8")))
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
        assert any(map(_names_a_task, ast.walk(parsed(line)))), line
    fine = "from studio.engine.tasks import TASKS; x = 'regression of the loss'"
    assert not any(map(_names_a_task, ast.walk(parsed(fine))))


FLAGS = frozenset(
    {
        "has_masks",
        "has_boxes",
        "has_regions",
        "has_targets",
        "has_annotation_files",
        "has_classes",
        "has_class_report",
        "has_baseline",
        "label_kind",
        "reads_columns",
        "OutputKind",
    }
)
"""Questions about the kind of a task, which its objects answer instead."""
KINDS = frozenset({"output", "unit", "part_type", "kind"})
"""Attributes of a task and its objects that are compared nowhere with a constant."""
PARTS = frozenset(
    {"geometry", "predictor", "reporter", "targets", "output", "task", "editor", "value"}
)
FAMILIES = {
    "engine/labeling/values.py": "_Value",
    "engine/labeling/editors": "Editor",
    "engine/tasks/annotation_source.py": "AnnotationSource",
    "engine/tasks/annotations.py": "Annotations",
    "ui/pages/label/tools": "EditTools",
    "ui/widgets/overlay.py": "Overlay",
}
"""Bases whose subclasses are asked, never told apart, by the modules with the subclasses."""
NO_VALUES = frozenset({"BoxesEdit"})
"""Entries of the journal of labels that are no values."""


def _name_of(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _is_constant(node: ast.AST) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_constant, node.elts))
    return isinstance(node, ast.Constant)


def _asks_for_absent_targets(node: ast.AST) -> bool:
    """Return True for a comparison of `targets` with None, of a task, a dataset or anything else.

    Every task, dataset, import and evaluation has targets: the class of an image is its target,
    too. Code that asks whether they are absent asks whether the task is classification, without
    its name. What differs is a method of `Targets`, `Learning`, `TaskAudit` or the view.
    """
    return (
        isinstance(node, ast.Compare)
        and any(_name_of(each) == "targets" for each in (node.left, *node.comparators))
        and any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops)
    )


PLACES = frozenset({"engine/datasets", "engine/tasks", "engine/compute/tasks"})
"""Folders with storage and with tasks: where regions are read, and where they are declared."""
ABSENT = frozenset({("store", "regions"), ("geometry", "rows"), ("geometry", "part_type")})
"""Attributes of datasets and geometries that annotations of images as wholes lack."""


def _asks_for_absent_regions(node: ast.AST) -> bool:
    """Return True for a test whether a dataset, or the geometry of a task, has regions.

    That is the question "masks, boxes or classes?" once more: the next task that stores anything
    else is on the wrong side of it. `Store.examples` returns what each image is annotated with,
    `Geometry` does nothing with annotations of images as wholes.
    """
    tested: list[ast.expr] = []
    if isinstance(node, ast.Compare) and any(
        isinstance(each, ast.Is | ast.IsNot) for each in node.ops
    ):
        tested = [node.left, *node.comparators]
    elif isinstance(node, ast.If | ast.IfExp):
        tested = [node.test]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        tested = [node.operand]
    return any(
        isinstance(each, ast.Attribute) and (_name_of(each.value), each.attr) in ABSENT
        for each in tested
    )


def test_only_storage_and_tasks_ask_for_regions() -> None:
    asking = [
        f"{path.relative_to(PRODUCT)}:{node.lineno}"
        for path in PRODUCT.rglob("*.py")
        if not any(path.is_relative_to(PRODUCT / each) for each in PLACES)
        for node in ast.walk(parsed(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.expr | ast.stmt) and _asks_for_absent_regions(node)
    ]

    assert asking == []


@pytest.mark.parametrize(
    "line",
    [
        "x = store.labels if store.regions is None else store.regions",
        "if self.store.regions: pass",
        "needs = with_labels and task.geometry.rows is not None",
        "x = not task.geometry.part_type",
    ],
)
def test_the_check_finds_questions_for_regions(line: str) -> None:
    assert any(map(_asks_for_absent_regions, ast.walk(parsed(line))))


STORAGE = ("engine/datasets/gather.py", "engine/datasets/writer.py")
"""Modules that read and write targets, which are in a file or in the column of classes."""


def test_the_place_of_targets_is_known_to_storage_alone() -> None:
    """`Targets.in_file` is about files: asked elsewhere it would be another name of a task."""
    asking = {
        path.relative_to(PRODUCT).as_posix()
        for path in PRODUCT.rglob("*.py")
        for node in ast.walk(parsed(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "in_file"
    }

    assert asking == set(STORAGE)


def _asks_for_a_kind(node: ast.AST) -> bool:
    """Return True for a flag of a task, or a comparison with the kind of one of its objects."""
    if _asks_for_absent_targets(node):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr in FLAGS and not isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.alias):
        return node.name in FLAGS
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        kinds = [each for each in sides if isinstance(each, ast.Attribute) and each.attr in KINDS]
        names = {_name_of(each.value) for each in kinds}
        return (
            any(map(_is_constant, sides))
            and bool((names & PARTS) - {""})
            and not any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops)
        )
    return False


def _classes_in(place: Path) -> list[ast.ClassDef]:
    """Return the classes of a module, or of the modules of a package."""
    paths = [place] if place.is_file() else place.rglob("*.py")
    trees = (parsed(path.read_text(encoding="utf-8")) for path in paths)
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def _subclasses(place: Path, base: str) -> set[str]:
    """Return the names of all classes below a base."""
    found = {base}
    for _ in range(4):
        for node in _classes_in(place):
            names = {each.id for each in node.bases if isinstance(each, ast.Name)}
            if names & found:
                found.add(node.name)
    return found - {base} - NO_VALUES


def _classes_of_tasks() -> frozenset[str]:
    """Return the names of classes of single tasks, and of the families that tasks share."""
    own = {node.name for name in TASKS for node in _classes_in(PRODUCT / "engine/tasks" / name)}
    shared = [_subclasses(PRODUCT / place, base) for place, base in FAMILIES.items()]
    assert all(len(each) > 1 for each in shared)
    return frozenset(own.union(*shared))


def _checks_a_class(node: ast.AST, classes: frozenset[str]) -> bool:
    """Return True for `isinstance` with a class of a task."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    named = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    named |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return node.func.id in {"isinstance", "issubclass"} and not classes.isdisjoint(named)


def test_no_module_asks_for_the_kind_of_a_task() -> None:
    classes = _classes_of_tasks()
    asking = []
    for path in PRODUCT.rglob("*.py"):
        may_check = any(map(path.is_relative_to, OWN))
        asking += [
            f"{path.relative_to(PRODUCT)}:{getattr(node, 'lineno', 0)}"
            for node in ast.walk(parsed(path.read_text(encoding="utf-8")))
            if _asks_for_a_kind(node) or (not may_check and _checks_a_class(node, classes))
        ]

    assert asking == []


@pytest.mark.parametrize(
    "line",
    [
        "if task.has_boxes: pass",
        "x = view.has_classes",
        "x = TASKS[name].has_regions",
        "from studio.engine.tasks.task import OutputKind",
        "x = task.geometry.unit == 'pixels'",
        "x = store.task.output != 'mask'",
        "x = isinstance(task.geometry, BoxGeometry)",
        "x = labeling.editor.kind == 'boxes'",
        "x = label.value.kind in ('class', 'labels')",
        "x = isinstance(value, ClassValue | LabelsValue)",
        "x = isinstance(overlay, BoxOverlay)",
        "x = isinstance(found, BoxAnnotations)",
        "x = task.reads_columns",
        "if store.task.targets is None: pass",
        "x = TASKS[recipe.task].targets is not None",
        "x = store.labels if store.targets is None else store.targets",
        "if targets is not None: pass",
        "x = one.targets is None or other.targets is None",
    ],
)
def test_the_check_finds_questions_about_a_kind(line: str) -> None:
    classes = _classes_of_tasks()
    nodes = list(ast.walk(parsed(line)))
    assert any(_asks_for_a_kind(node) or _checks_a_class(node, classes) for node in nodes)


@pytest.mark.parametrize(
    "line", ["x = network.output == task.output", "x = geometry.rows is None", "self.unit = 'mm'"]
)
def test_the_check_allows_comparisons_of_two_objects(line: str) -> None:
    assert not any(map(_asks_for_a_kind, ast.walk(parsed(line))))


TRAINERS = ("engine/training/trainers.py",)
"""Modules that choose a trainer by its name, or are one."""


def _compares_solvers(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and any(
        isinstance(each, ast.Attribute) and each.attr == "head_solver"
        for each in (node.left, *node.comparators)
    )


def test_no_module_branches_on_the_solver_of_a_head() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in PRODUCT.rglob("*.py")}
    branching = {
        path.relative_to(PRODUCT).as_posix()
        for path, text in texts.items()
        if "head_solver" in text and any(map(_compares_solvers, ast.walk(parsed(text))))
    }

    assert branching == set(TRAINERS)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_task_is_complete(task: Task) -> None:
    names = [spec.name for spec in task.measured]

    assert len(set(names)) == len(names)
    assert task.monitored(AUTO) == task.primary
    assert task.primary.is_validation
    assert "loss" in task.step_metrics
    assert set(task.step_metrics) <= {spec.name for spec in task.metrics}
    assert all(spec.summary and spec.label and spec.validation_label for spec in task.metrics)
    assert task.predictor.columns or task.targets.in_file
    assert issubclass(evaluation_class(task), OpenedEvaluation)
    assert importlib.util.find_spec(task.learning) is not None


def test_no_template_asks_for_the_kind_of_a_task() -> None:
    templates = list((PRODUCT.parent / "assets").rglob("*.html"))
    assert len(templates) > 2

    found = [path.name for path in templates for flag in FLAGS if flag in path.read_text("utf-8")]

    assert found == []
