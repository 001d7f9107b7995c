from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLabel,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from helpers.sampling import few_examples
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import Problem
from studio.engine.plans import Condition, Plan, plan_field
from studio.ui.documents.plan import PlanDocument
from studio.ui.forms.field_row import FieldRow
from studio.ui.forms.flat_fields import flat_fields
from studio.ui.forms.plan_form import PlanForm
from studio.ui.theme.theme import Theme


class Optimizer(Plan):
    rate: float = plan_field(0.001, label="Rate", help="Step size.", gt=0, scale="log")
    decay: float = plan_field(0.0, label="Decay", help="Pull to zero.", level="expert", ge=0)


class Training(Plan):
    version: Literal[1] = 1
    epochs: int = plan_field(5, label="Epochs", help="How often.", ge=1, le=100)
    shuffle: bool = plan_field(default=True, label="Shuffle", help="Mix the images.")
    limit: int | None = plan_field(None, label="Limit", help="Stop early.", ge=1)
    optimizer: Optimizer = plan_field(Optimizer(), label="Optimizer", help="How it learns.")
    seed: int = plan_field(0, label="Seed", help="Same again.", level="expert", ge=0)


def type_into(form: PlanForm, name: str, text: str) -> None:
    control = form.editor(name).control
    assert isinstance(control, QLineEdit)
    control.setText(text)
    control.textEdited.emit(text)


def make(qtbot: QtBot, form: PlanForm) -> PlanForm:
    qtbot.addWidget(form)
    form.resize(500, 800)
    form.show()
    return form


def recipes() -> st.SearchStrategy[DatasetRecipe]:
    return st.builds(
        DatasetRecipe,
        source=st.text(),
        width=st.integers(1, 4096),
        height=st.integers(1, 4096),
        color=st.sampled_from(["rgb", "gray"]),
        resize=st.sampled_from(["squash", "crop", "fill", "half_crop"]),
        background=st.sampled_from(["#000000", "#a0B1c2"]),
        val_percent=st.floats(0, 49.9),
        test_percent=st.floats(0, 49.9),
        seed=st.integers(0, 2**32 - 1),
    )


@settings(max_examples=few_examples(), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(recipe=recipes())
def test_a_recipe_goes_in_and_comes_out(theme: Theme, recipe: DatasetRecipe) -> None:
    form = PlanForm(DatasetRecipe, theme=theme)
    form.set_values(recipe)
    assert form.plan() == recipe
    assert DatasetRecipe.parse(form.values()) == recipe
    form.deleteLater()


def test_it_starts_with_the_defaults(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Training, theme=theme))
    assert form.plan() == Training()
    assert form.names() == [
        "epochs", "shuffle", "limit", "optimizer.rate", "optimizer.decay", "seed"
    ]  # fmt: skip


def test_a_problem_stands_beside_its_field_at_once(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, theme=theme))
    form.set_values({"source": "/images"})
    with qtbot.waitSignal(form.changed):
        type_into(form, "val_percent", "abc")
    assert form.plan() is None
    assert [problem.where for problem in form.problems()] == ["val_percent"]
    hint = form.row("val_percent").hint
    assert hint.isVisible()
    assert "abc" in hint.text()
    assert hint.property("role") == "problem"
    type_into(form, "val_percent", "2e1")
    assert form.plan() == DatasetRecipe(source="/images")
    assert hint.property("role") == "caption"


def test_a_problem_of_the_whole_stands_at_the_bottom(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, theme=theme))
    form.set_values({"source": "/images", "val_percent": 80, "test_percent": 30})
    assert "110 %" in form._whole.text()
    assert form._whole.isVisible()
    type_into(form, "test_percent", "10")
    assert not form._whole.isVisible()


def test_what_is_not_shown_is_kept(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, ["width", "height"], theme=theme))
    assert form.names() == ["width", "height"]
    assert form.plan() is None, "the source is still missing"
    assert not form._whole.isVisible(), "but that is not for this form to say"
    form.set_values(DatasetRecipe(source="/images", color="gray", width=28, height=28))
    assert form.values()["color"] == "gray"
    assert form.plan() == DatasetRecipe(source="/images", color="gray", width=28, height=28)


def test_expert_fields_open_below_and_move_nothing(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Training, theme=theme))
    basic, expert = ["epochs", "shuffle", "limit", "optimizer.rate"], ["optimizer.decay", "seed"]
    assert all(form.row(name).isVisible() for name in basic)
    assert not any(form.row(name).isVisible() for name in expert)

    def positions() -> list[QPoint]:
        return [form.row(name).mapTo(form, QPoint(0, 0)) for name in basic]

    form.resize(500, form.sizeHint().height())
    before = positions()
    form.set_expert_shown(shown=True)
    form.resize(500, form.sizeHint().height())
    assert all(form.row(name).isVisible() for name in expert)
    assert positions() == before


def test_experts_see_everything_and_nothing_above_moves(theme: Theme, qtbot: QtBot) -> None:
    forms = [make(qtbot, PlanForm(Training, theme=theme)) for _ in range(2)]
    for form in forms:
        assert not form.more.always.isVisible(), "beginners see few controls"

    def positions() -> list[QPoint]:
        for form in forms:
            form.resize(500, form.sizeHint().height())
        rows = [form.row(name) for form in forms for name in form.names()]
        shown = [row for row in rows if not row.flat.is_expert]
        return [row.pos() for row in shown] + [form.more.pos() for form in forms]

    before = positions()
    forms[0].more.button.click()
    assert not forms[1].is_expert_shown()
    forms[0].more.always.click()
    assert theme.is_expert
    assert [form.row("seed").isVisible() for form in forms] == [True, True]
    assert positions() == before
    assert make(qtbot, PlanForm(Training, theme=theme)).is_expert_shown()
    forms[1].more.always.click()
    assert [form.row("seed").isVisible() for form in forms] == [False, False]


def test_a_problem_in_an_expert_field_opens_more(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, theme=theme))
    form.set_values({"source": "/images"})
    assert not form.is_expert_shown()
    form.set_values({"background": "red"})
    form.show_problems([Problem("background", "red is not a color.")])
    assert form.is_expert_shown()
    assert form.row("background").hint.text() == "Red is not a color."


def test_plans_inside_plans_have_dotted_names(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Training, theme=theme))
    type_into(form, "optimizer.rate", "1e-2")
    plan = form.plan()
    assert isinstance(plan, Training)
    assert plan.optimizer.rate == 0.01
    type_into(form, "optimizer.rate", "-1")
    assert form.row("optimizer.rate").hint.property("role") == "problem"


def test_an_empty_optional_number_is_none(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Training, theme=theme))
    type_into(form, "limit", "12")
    assert form.values()["limit"] == 12
    type_into(form, "limit", "")
    assert form.values()["limit"] is None
    assert form.plan() == Training()


def test_controls_have_names_notes_and_reasons(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, theme=theme))
    for name in form.names():
        assert form.editor(name).control.accessibleName()
    form.set_field_enabled("height", enabled=False, reason="square for this network")
    assert not form.editor("height").control.isEnabled()
    assert form.row("height").note.isVisible()
    assert form.row("height").note.text() == "square for this network"
    assert "Larger images keep detail" in form.editor("width").control.toolTip()


def test_help_can_be_in_the_tooltip_alone(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, theme=theme, compact=True))
    assert not form.row("width").hint.isVisible()
    assert "Width of every image" in form.editor("width").control.toolTip()


def wheel(widget: QWidget) -> None:
    event = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, 0), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def test_the_wheel_changes_only_what_has_the_focus(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, theme=theme))
    form.set_values(DatasetRecipe(source="/images"))
    names = ("width", "color", "val_percent")
    before = form.values()
    for name in names:
        form.editor(name).control.clearFocus()
        wheel(form.editor(name).control)
    assert form.values() == before
    form.activateWindow()
    spin = form.editor("width").control
    spin.setFocus()
    qtbot.waitUntil(spin.hasFocus)
    assert isinstance(spin, QAbstractSpinBox)
    wheel(spin)
    assert form.values()["width"] == 65


def test_arrow_keys_step_a_number(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Training, theme=theme))
    QTest.keyClick(form.editor("optimizer.rate").control, Qt.Key.Key_Up)
    values = form.values()["optimizer"]
    assert isinstance(values, dict)
    assert values["rate"] == 0.002


def test_setting_values_is_not_a_change_by_the_user(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Training, theme=theme))
    with qtbot.assertNotEmitted(form.changed):
        form.set_values(Training(epochs=9, shuffle=False, limit=3))
    assert form.plan() == Training(epochs=9, shuffle=False, limit=3)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="wdth"):
        flat_fields(DatasetRecipe, ["wdth"])


def test_a_hidden_field_that_is_named_is_shown() -> None:
    assert [flat.path for flat in flat_fields(DatasetRecipe, ["source"])] == ["source"]
    assert "source" not in [flat.path for flat in flat_fields(DatasetRecipe)]


class Grouped(Plan):
    width: int = plan_field(8, label="Width", help="How wide.", group="Size")
    border: int = plan_field(0, label="Border", help="Around.", level="expert", group="Size")
    share: float = plan_field(0.5, label="Share", help="Of all.", group="Split")
    height: int = plan_field(8, label="Height", help="How high.", group="Size")
    seed: int = plan_field(0, label="Seed", help="Same.", level="expert", group="Split")


def test_fields_stand_under_the_headings_that_they_name(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Grouped, theme=theme))

    def shown() -> list[str]:
        parts: list[QWidget] = [form.row(name) for name in form.names()]
        parts += [label for label in form.findChildren(QLabel) if is_heading(label)]
        seen = [part for part in parts if part.isVisible()]
        seen.sort(key=lambda part: part.mapTo(form, QPoint()).y())
        return [part.text() if isinstance(part, QLabel) else part.label.text() for part in seen]  # type: ignore[attr-defined]  # the others are rows

    few = ["Size", "Width", "Height", "Split", "Share"]
    assert shown() == few
    form.set_expert_shown(shown=True)
    assert shown() == [*few, "Size", "Border", "Split", "Seed"]


def is_heading(label: QLabel) -> bool:
    return bool(label.property("role") == "section")


def test_a_long_list_shows_how_it_begins(theme: Theme, qtbot: QtBot) -> None:
    form = PlanForm(StudyPlan, theme=theme)
    qtbot.addWidget(form)
    batches = form.editor("batch_sizes").control

    assert isinstance(batches, QLineEdit)
    assert batches.cursorPosition() == 0


def test_the_tab_key_goes_down_the_form(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(DatasetRecipe, theme=theme))
    form.resize(700, 2000)
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    for is_open in (False, True):
        form.set_expert_shown(shown=is_open)
        QApplication.processEvents()
        last: QWidget = form
        positions: list[int] = []
        for _ in range(100):
            QTest.keyClick(last, Qt.Key.Key_Tab)
            focus = QApplication.focusWidget()
            assert focus is not None
            last = focus
            point = last.mapTo(form, last.rect().center()).y()
            if positions and point < positions[0]:
                break
            positions.append(point)
            if len(positions) > 1 and positions[-1] == positions[0]:
                break
        first_round = positions[: positions.index(max(positions)) + 1]
        assert len(first_round) > 5
        assert first_round == sorted(first_round), "nothing further down comes before"


class Resized(Plan):
    resize: Literal["squash", "fill"] = plan_field("squash", label="Resize", help="How to fit.")
    border: str = plan_field(
        "white",
        label="Border",
        help="What fills the border.",
        labels={"white": "White", "black": "Black"},
        applicable_when=Condition(("resize",), "No border is left", ("fill",)),
    )
    width: int | None = plan_field(
        None,
        label="Border width",
        help="In pixels.",
        ge=1,
        applicable_when=Condition(("resize",), "No border is left", ("fill",)),
    )


def test_a_field_without_effect_is_disabled_with_the_reason(theme: Theme, qtbot: QtBot) -> None:
    form = make(qtbot, PlanForm(Resized, theme=theme))
    assert not form.editor("border").isEnabled()
    assert form.row("border").note.text() == "No border is left"
    form.set_values({"resize": "fill"})
    assert form.editor("border").isEnabled()
    assert not form.row("border").note.isVisible()
    form.set_field_enabled("border", enabled=False, reason="black only")
    form.set_values({"resize": "squash"})
    assert form.row("border").note.text() == "black only"
    form.set_field_enabled("border", enabled=True)
    assert form.row("border").note.text() == "No border is left"


def test_what_has_no_effect_cannot_be_wrong_and_is_not_forgotten(
    theme: Theme, qtbot: QtBot
) -> None:
    form = make(qtbot, PlanForm(Resized, theme=theme))
    form.set_values({"resize": "fill", "border": "black"})
    type_into(form, "width", "0")
    assert form.plan() is None
    form.set_values({"resize": "squash"})
    assert form.plan() == Resized()
    assert form.editor("border").value() == "black"
    form.set_values({"resize": "fill", "width": 3})
    assert form.plan() == Resized(resize="fill", border="black", width=3)


def test_a_field_has_an_effect_where_a_sweep_varies_what_it_depends_on(
    theme: Theme, qtbot: QtBot
) -> None:
    form = make(qtbot, PlanForm(Resized, theme=theme))
    form.document.vary(["resize"])
    assert form.editor("border").isEnabled()
    form.document.vary([])
    assert not form.editor("border").isEnabled()
    form.document.vary(["width"], "The sweep varies it")
    assert not form.editor("width").isEnabled()
    assert form.row("width").note.text() == "The sweep varies it"


def test_forms_of_one_document_show_the_same_plan(theme: Theme, qtbot: QtBot) -> None:
    document = PlanDocument(Resized)
    first = make(qtbot, PlanForm(document, ["resize"], theme=theme))
    second = make(qtbot, PlanForm(document, ["border", "width"], theme=theme))
    first.set_values({"resize": "fill"})
    assert second.editor("border").isEnabled()
    type_into(second, "width", "0")
    assert first.plan() is None
    assert not first._whole.isVisible(), "the other form shows it beside its field"


def test_rows_are_made_when_they_are_first_shown(theme: Theme, qtbot: QtBot) -> None:
    form = PlanForm(Training, theme=theme)
    qtbot.addWidget(form)
    assert form.plan() == Training()
    assert [row.flat.path for row in form.findChildren(FieldRow)] == []
    form.show()
    basic = [row.flat.path for row in form.findChildren(FieldRow)]
    assert basic == ["epochs", "shuffle", "limit", "optimizer.rate"]
    form.more.button.click()
    every = [row.flat.path for row in form.findChildren(FieldRow)]
    assert every == [*basic, "optimizer.decay", "seed"]
    assert form.row("seed").isVisible()


def test_a_row_that_is_made_late_shows_what_the_plan_says(theme: Theme, qtbot: QtBot) -> None:
    form = PlanForm(Training, theme=theme)
    qtbot.addWidget(form)
    form.set_values({"seed": 7})
    form.set_field_enabled("seed", enabled=False, reason="Not here.")
    seen: list[str] = []
    form.each_row(lambda row: seen.append(row.flat.path))
    assert seen == []
    assert form.editor("seed").value() == 7
    assert not form.editor("seed").isEnabled()
    assert seen == ["optimizer.decay", "seed"]
