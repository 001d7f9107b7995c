"""Rules that hold for every control of every page: markup, the wheel, the focus, notices, undo."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from page_checks import cut_texts, invisible_focus, page_stops, spoken_name, wrong_order
from page_records import add_dataset, add_model, began, picture_folder
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QSlider,
    QSpinBox,
    QTabBar,
    QToolTip,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot
from sweep_records import sweep_plan
from visible_texts import settle

from helpers.evaluations import leave_evaluation
from helpers.runs import append_events
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.documents import REPORT
from studio.engine.evaluation.report import EvaluatedModel, EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.events import Artifact, StateChanged
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.states import State
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import add_pictures
from studio.engine.plans import Plan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui import app as app_module
from studio.ui.app import StudioApp
from studio.ui.navigation import PlanRun, PlanSweep, StartLabeling, page_intent
from studio.ui.pages import PAGES
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.pages.train.page import View as TrainView
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.screen import MIN_SIZE
from studio.ui.theme.theme import Theme
from studio.ui.widgets.bars import BarPart, PartsBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import FocusBehavior
from studio.ui.widgets.labels import StateBadge
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import PageStack

popups = pytest.mark.qt_log_ignore("does not support", extend=True)  # without a screen
HOSTILE = ("<img src=x onerror=1>", "<b>bold<b>", "<a href='file:x'>link")
"""Names of classes, of a dataset, a run and files: Linux allows all but the slash."""
RECORD_OF = {
    "datasets": RecordKind.DATASET,
    "train": RecordKind.RUN,
    "evaluation": RecordKind.EVALUATION,
    "predict": RecordKind.RUN,
    "export": RecordKind.RUN,
}


@pytest.fixture(autouse=True)
def cold_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No engine host is started before it is asked."""
    monkeypatch.setattr(app_module, "WARM_UP_MS", 10**8)


@pytest.fixture
def dataset(workspace: Workspace, tmp_path: Path) -> Record:
    source = picture_folder(tmp_path / "src", dict.fromkeys(HOSTILE, 12))
    for folder in list(source.iterdir()):
        for file in list(folder.iterdir()):
            file.rename(file.with_name(f"<b>{file.name}"))
    return add_dataset(workspace, HOSTILE[0], source, val_percent=25, test_percent=25)


@pytest.fixture
def window(
    theme: Theme, tmp_path: Path, workspace: Workspace, dataset: Record, qtbot: QtBot
) -> Iterator[MainWindow]:
    """A window with a hostile dataset, a run and an evaluation of it."""
    run = add_model(workspace, HOSTILE[1], dataset)
    append_events(run, [StateChanged(state=State.COMPLETED)])
    add_evaluation(workspace, dataset, run)
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    shown = app.open(workspace.root)
    shown.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is shown)
    qtbot.waitUntil(lambda: shown.context.jobs.is_loaded)
    yield shown
    app.close()


def add_evaluation(workspace: Workspace, dataset: Record, run: Record) -> Record:
    plan = EvaluationPlan(run=run.id)
    record = workspace.create(RecordKind.EVALUATION, HOSTILE[2], plan.to_json())
    store = Store.open(dataset.folder)
    rows = store.rows("test")
    probabilities = np.full((len(rows), 3), 0.1)
    probabilities[:, 1] = 0.8
    subject = EvaluatedModel(
        model=HOSTILE[1], run=run.id, dataset=dataset.id, dataset_name=HOSTILE[0],
        dataset_version=0, split="test",
    )  # fmt: skip
    leave_evaluation(
        record.folder,
        rows,
        probabilities,
        store.labels[rows],
        classes=list(HOSTILE),
        subject=subject,
    )
    done = [Artifact(name=REPORT, path=REPORT), StateChanged(state=State.COMPLETED)]
    append_events(record, [*began(), *done])
    return record


def show_all(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """Show each page, with a record where it shows one."""
    for page in PAGES:
        kind = RECORD_OF.get(page.name)
        records = window.context.workspace.records(kind) if kind is not None else []
        window.open(page_intent(page.name, records[0].id if records else ""))
        qtbot.waitUntil(lambda: window.context.background.is_idle)
        QApplication.processEvents()
        yield page.name


def tip_label() -> QLabel | None:
    tops = QApplication.topLevelWidgets()
    found = [each for each in tops if each.metaObject().className() == "QTipLabel"]
    return next((each for each in found if isinstance(each, QLabel) and each.isVisible()), None)


@pytest.mark.thorough
@popups
def test_names_are_never_interpreted_as_markup(window: MainWindow, qtbot: QtBot) -> None:
    seen = 0
    for page in show_all(window, qtbot):
        for widget in window.findChildren(QWidget):
            if not widget.isVisible():
                continue
            if isinstance(widget, QLabel) and "<" in widget.text():
                is_ours = widget.textFormat() == Qt.TextFormat.RichText
                assert not is_ours or "<img" not in widget.text(), page
                assert is_ours or widget.textFormat() == Qt.TextFormat.PlainText, page
                seen += 1
            if "<" in widget.toolTip():
                middle = widget.rect().center()
                point = widget.mapToGlobal(middle)
                QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, middle, point))
                label = tip_label()
                assert label is not None
                assert label.textFormat() == Qt.TextFormat.PlainText, page
                QToolTip.hideText()
                seen += 1
    assert seen >= 6, "nothing hostile was shown at all"


@popups
def test_tips_of_items_are_plain_too(window: MainWindow, qtbot: QtBot) -> None:
    QToolTip.showText(QPoint(20, 20), HOSTILE[0], window)
    label = tip_label()
    assert label is not None
    assert label.text() == HOSTILE[0]
    assert label.textFormat() == Qt.TextFormat.PlainText
    QToolTip.hideText()


def test_events_of_widgets_call_no_python(window: MainWindow) -> None:
    """A page that opens sends ten thousand: a filter for all of them took a third of its time."""
    label = window.findChild(QLabel)
    assert label is not None
    called: list[str] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and "/studio/" in frame.f_code.co_filename:
            called.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    QApplication.sendEvent(label, QEvent(QEvent.Type.Enter))
    sys.setprofile(None)
    assert called == []


class StyledWidgets(QObject):
    """Counts how often widgets are styled."""

    count = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - its name there
        self.count += event.type() == QEvent.Type.StyleChange
        return False


def test_a_widget_is_not_styled_once_for_each_of_its_ancestors(
    theme: Theme, qtbot: QtBot, qapp: QApplication
) -> None:
    """Qt does so when a style sheet is replaced: a change of the theme took seconds."""
    nested = QWidget()
    qtbot.addWidget(nested)
    labels = []
    around = nested
    for _ in range(12):
        around = QWidget(around)
        labels.append(QLabel("text", around))
    theme.mode = "light"
    nested.show()
    styled = StyledWidgets()
    for each in labels:
        each.installEventFilter(styled)
    before = labels[-1].palette().windowText().color()
    theme.mode = "dark"
    assert styled.count <= 4 * len(labels)
    assert labels[-1].palette().windowText().color() != before


def test_threads_that_compute_hardly_delay_the_window(window: MainWindow) -> None:
    """Each call of Qt that ends in Python waits so long for a thread that computes."""
    assert window.isVisible()
    assert sys.getswitchinterval() <= 0.001


def turn_wheel(widget: QWidget) -> None:
    """Turn the wheel over a widget, as the system reports it to its window."""
    window = widget.window()
    point = QPointF(widget.mapTo(window, widget.rect().center()))
    handle = window.windowHandle()
    assert handle is not None
    QTest.wheelEvent(handle, point, QPoint(0, -120))


def value_of(widget: QWidget) -> object:
    if isinstance(widget, QAbstractSlider):
        return widget.value()
    if isinstance(widget, QAbstractSpinBox):
        return widget.text()
    return widget.currentIndex() if isinstance(widget, QComboBox | QTabBar) else None


def test_the_wheel_changes_no_control_of_any_page(window: MainWindow, qtbot: QtBot) -> None:
    turned = 0
    for page in show_all(window, qtbot):
        kinds = (QAbstractSlider, QAbstractSpinBox, QComboBox, QTabBar)
        found = [each for kind in kinds for each in window.findChildren(kind)]
        for control in found:
            if isinstance(control, QScrollBar) or control.visibleRegion().isEmpty():
                continue
            assert control.focusPolicy() != Qt.FocusPolicy.WheelFocus, page
            assert not control.hasFocus()
            before = value_of(control)
            turn_wheel(control)
            assert value_of(control) == before, (page, control.accessibleName())
            turned += control.isEnabled()
    assert turned >= 10


def test_the_legend_of_a_bar_keeps_its_colors(theme: Theme, qtbot: QtBot) -> None:
    bar = PartsBar(theme, "Time")
    qtbot.addWidget(bar)
    bar.set_parts([BarPart("Read <b>", 0.3, 0), BarPart("Compute", 0.7, 1)])
    bar.show()
    (legend,) = bar.findChildren(QLabel)
    assert legend.textFormat() == Qt.TextFormat.RichText
    assert "Read &lt;b&gt;" in legend.text()


@pytest.mark.parametrize("kind", [QSlider, QSpinBox, QComboBox])
def test_the_wheel_scrolls_past_a_control_until_it_has_the_focus(
    kind: type[QSlider | QSpinBox | QComboBox], theme: Theme, qtbot: QtBot
) -> None:
    area, inner = QScrollArea(), QWidget()
    qtbot.addWidget(area)
    column = QVBoxLayout(inner)
    control = kind(inner)
    if isinstance(control, QComboBox):
        control.addItems(["a", "b", "c"])
        control.setCurrentIndex(1)
    else:
        control.setRange(0, 10)
        control.setValue(5)
    column.addWidget(control)
    column.addSpacing(2000)
    area.setWidget(inner)
    area.resize(300, 200)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is area)
    area.setFocus()
    before = value_of(control)
    turn_wheel(control)
    assert value_of(control) == before
    assert area.verticalScrollBar().value() > 0
    assert not control.hasFocus()

    area.verticalScrollBar().setValue(0)
    control.setFocus()
    turn_wheel(control)
    assert value_of(control) != before
    assert area.verticalScrollBar().value() == 0


def test_a_notice_lies_over_every_page_that_is_opened_after_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_page("home")
    window.notices.show_notice(Notice("info", "It is gone.", action_text="Undo"))
    for page in ("datasets", "home", "settings", "datasets"):
        window.show_page(page)
        button = window.notices.cards()[0].action_button
        assert button is not None
        point = button.mapTo(window, button.rect().center())
        assert window.childAt(point) is button, page


def test_pages_that_ask_a_model_warm_the_engine_up_when_they_are_shown(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm: list[EngineHost] = []

    def noted(host: EngineHost) -> None:
        warm.append(host)

    monkeypatch.setattr(EngineHost, "warm_up", noted)
    background = window.context.background
    window.show_page("train")
    qtbot.waitUntil(lambda: background.is_idle)
    assert warm == []

    window.show_page("predict")

    qtbot.waitUntil(lambda: warm == [window.context.engine])


def test_undo_works_wherever_the_focus_is_on_a_page(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    undone: list[str] = []
    monkeypatch.setattr(DatasetEditor, "undo", lambda _: undone.append("undo"))
    record = window.context.workspace.records(RecordKind.DATASET)[0]
    window.open(page_intent("datasets", record.id))
    window.show_page("home")
    QTest.mouseClick(window.rail.buttons["datasets"], Qt.MouseButton.LeftButton)
    assert window.current_page == "datasets"
    control = Qt.KeyboardModifier.ControlModifier
    for index in (QApplication.focusWidget(), window.top_bar.theme_button, window.rail):
        assert index is not None
        index.setFocus()
        QTest.keyClick(index, Qt.Key.Key_Z, control)
    assert undone == ["undo"] * 3
    window.show_page("home")
    QTest.keyClick(window, Qt.Key.Key_Z, control)
    assert undone == ["undo"] * 3, "its page is not shown"


@pytest.mark.thorough
def test_a_click_on_the_rail_leaves_the_focus_on_the_page(
    window: MainWindow, qtbot: QtBot
) -> None:
    focus = QApplication.focusWidget()
    assert focus is window.page("home"), "nothing is marked when the window opens"
    for button in window.rail.buttons.values():
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        page = window.page(window.current_page)
        assert QApplication.focusWidget() is page, window.current_page


def test_a_page_that_needs_more_room_gets_it(window: MainWindow, qtbot: QtBot) -> None:
    """Else the columns of a form that is shown later would lie over each other."""
    window.resize(900, 600)
    window.show_page("home")
    page = window.page("home")
    page.setMinimumWidth(1000)
    qtbot.waitUntil(lambda: page.width() == 1000)
    page.setMinimumWidth(0)
    qtbot.waitUntil(lambda: page.width() < 900)


def show_forms(window: MainWindow, dataset: Record, source: Path, qtbot: QtBot) -> Iterator[str]:
    """Show all pages, and the forms with most controls."""
    context = window.context
    with Labeling.create(context.workspace, "pets", planned("classification", ["cat"])) as made:
        add_pictures(made, [source])
    yield from show_all(window, qtbot)
    for name, intent in (
        ("new run", PlanRun(dataset=dataset.id)),
        ("new sweep", PlanSweep(context.workspace.records(RecordKind.RUN)[0].id)),
        ("new labeling", StartLabeling()),
        ("labeling", page_intent("label", made.record.id)),
    ):
        window.open(intent)
        settle(window)
        yield name
    window.show_page("datasets")
    window.page("datasets").take_drop([source])
    settle(window)
    yield "import"


def settled_cuts(page: QWidget, qtbot: QtBot) -> list[str]:
    """Cut texts once the page is laid out."""
    with contextlib.suppress(TimeoutError):
        qtbot.waitUntil(lambda: not cut_texts(page))
    return cut_texts(page)


@pytest.mark.thorough
@pytest.mark.usefixtures("portuguese")
@pytest.mark.parametrize(("width", "height"), [(1024, 680), (911, 560)])
def test_no_text_is_cut_without_a_tooltip(
    window: MainWindow, dataset: Record, tmp_path: Path, qtbot: QtBot, width: int, height: int
) -> None:
    """911 pixels are what a screen of 1366 has at a text size of 150 %."""
    window.resize(width, height)
    found = {}
    for name in show_forms(window, dataset, tmp_path / "src", qtbot):
        page = window.page(window.current_page)
        cut = set(settled_cuts(page, qtbot))
        for bar in (each for each in page.findChildren(QTabBar) if each.isVisible()):
            for number in range(bar.count()):
                bar.setCurrentIndex(number)
                settle(window)
                cut.update(settled_cuts(page, qtbot))
        found[name] = sorted(cut)
    assert {name: cut for name, cut in found.items() if cut} == {}


@pytest.mark.usefixtures("portuguese")
def test_pages_fit_the_smallest_window(window: MainWindow, qtbot: QtBot) -> None:
    """Neither hidden parts nor the form of a sweep make a page wider than the window."""
    window.resize(MIN_SIZE)
    least = {}
    for name in show_all(window, qtbot):
        settle(window)
        least[name] = window.page(name).minimumSizeHint().width()
    runs = window.context.workspace.records(RecordKind.RUN)
    window.open(PlanSweep(runs[0].id))
    settle(window)
    least["new sweep"] = window.page("sweeps").minimumSizeHint().width()
    room = window.width() - window.rail.width()
    assert {name: width for name, width in least.items() if width > room} == {}


@pytest.mark.thorough
def test_the_focus_is_visible_at_each_stop_of_tab(
    window: MainWindow, dataset: Record, tmp_path: Path, qtbot: QtBot
) -> None:
    found = {}
    for name in show_forms(window, dataset, tmp_path / "src", qtbot):
        found[name] = invisible_focus(window.page(window.current_page))
    assert {name: stops for name, stops in found.items() if stops} == {}


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1440, 1024])
def test_tab_follows_the_order_of_reading_and_each_stop_has_a_name(
    window: MainWindow, dataset: Record, tmp_path: Path, qtbot: QtBot, width: int
) -> None:
    window.resize(width, 900)
    found = {}
    for name in show_forms(window, dataset, tmp_path / "src", qtbot):
        settle(window)
        page = window.page(window.current_page)
        nameless = [str(each) for each in page_stops(page) if not spoken_name(each)]
        found[name] = [*wrong_order(page), *nameless]
    # From Train, which comes early, it goes back to all that may be changed before.
    assert {name: faults for name, faults in found.items() if faults} == {
        "new run": ["QPushButton Train -> QPushButton Instant baseline"]
    }


@pytest.mark.parametrize("start", ["button", "form"])
def test_tab_in_a_new_run_stays_out_of_the_run_before(
    window: MainWindow, dataset: Record, qtbot: QtBot, start: str
) -> None:
    """The form is used at once, while results of the run that was shown still arrive."""
    runs = window.context.workspace.records(RecordKind.RUN)
    window.open(page_intent("train", runs[0].id))
    page = window.page("train")
    assert isinstance(page, TrainView)
    qtbot.waitUntil(page.dashboard.isVisible)
    page.dashboard.setFocus()
    if start == "button":
        QTest.mouseClick(page.new_button, Qt.MouseButton.LeftButton)
    else:
        window.open(PlanRun(dataset=dataset.id))
    stops = []
    for _ in range(12):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        QApplication.processEvents()
        stops.append(QApplication.focusWidget())
    settle(window)
    assert page.new_run.isVisible()
    inside = [page.new_run.isAncestorOf(each) for each in stops if each is not None]
    assert sum(inside) >= 8
    assert not any(page.dashboard.isAncestorOf(each) for each in stops if each is not None)


@pytest.fixture
def behavior(qapp: QApplication) -> Iterator[FocusBehavior]:
    made = FocusBehavior(qapp)
    yield made
    made.uninstall()
    made.deleteLater()


@pytest.mark.usefixtures("behavior")
def test_the_focus_never_moves_to_the_next_control_unasked(theme: Theme, qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    column = QVBoxLayout(whole)
    stack = PageStack(whole)
    form, run = QWidget(), QWidget()
    train, stop = push_button("Train", theme), push_button("Stop", theme)
    delete = QPushButton("Delete")
    QVBoxLayout(form).addWidget(train)
    QVBoxLayout(run).addWidget(stop)
    stack.addWidget(form)
    stack.addWidget(run)
    column.addWidget(stack)
    column.addWidget(delete)
    whole.show()
    whole.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is whole)
    train.setFocus()
    train.setEnabled(False)
    assert QApplication.focusWidget() is form
    train.setEnabled(True)
    train.setFocus()
    stack.setCurrentWidget(run)
    assert QApplication.focusWidget() is run
    QTest.keyClick(run, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is stop, "the Tab key begins at its first control"
    stop.hide()
    assert QApplication.focusWidget() is run


def unfinished(workspace: Workspace, kind: RecordKind, name: str, plan: Plan) -> Record:
    """A job at work, whose worker reads no command."""
    record = workspace.create(kind, name, plan.to_json())
    append_events(record, began())
    return record


def add_all_jobs(workspace: Workspace, dataset: Record, run: Record) -> dict[str, Record]:
    """One job of each kind that a page shows, by the page."""
    kinds: dict[str, tuple[RecordKind, Plan]] = {
        "datasets": (RecordKind.DATASET, DatasetRecipe(source="somewhere")),
        "train": (RecordKind.RUN, TrainingPlan(dataset=dataset.id)),
        "sweeps": (RecordKind.SWEEP, sweep_plan("learning_rate=0.1,0.01", dataset=dataset.id)),
        "evaluation": (RecordKind.EVALUATION, EvaluationPlan(run=run.id)),
        "export": (RecordKind.EXPORT, ExportPlan(run=run.id, variants=("keras",))),
        "bench": (RecordKind.BENCHMARK, StudyPlan(networks=("lenet",))),
    }
    return {
        page: unfinished(workspace, kind, f"at work in {page}", plan)
        for page, (kind, plan) in kinds.items()
    }


@popups
def test_stop_shows_at_once_in_the_page_and_in_the_tray(
    window: MainWindow, workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    run = workspace.records(RecordKind.RUN)[0]
    jobs = window.context.jobs
    for page, record in add_all_jobs(workspace, dataset, run).items():
        jobs.wake()
        qtbot.waitUntil(lambda each=record: jobs.get(each.kind, each.id) is not None)  # type: ignore[misc]
        entry = jobs.get(record.kind, record.id)
        assert entry is not None
        window.open(page_intent(page, record.id))
        view = window.page(page)
        words = {"Stop", "Cancel"}

        def stops(view: QWidget = view, words: set[str] = words) -> list[QAbstractButton]:
            found = [each for each in view.findChildren(QAbstractButton) if each.isVisible()]
            return [each for each in found if {each.text(), each.toolTip()} & words]

        qtbot.waitUntil(lambda: bool(stops()))
        tray = window.tray.rows()[entry.key]
        (button,) = stops()
        button.click()
        # Nothing else was done: no event was waited for, and no worker read the command.
        assert entry.state == State.STOPPING, page
        assert not button.isEnabled(), page
        badges = [each.state for each in view.findChildren(StateBadge) if each.isVisible()]
        assert button.text() == "Stopping…" or "stopping" in badges, page
        assert tray.badge.state == "stopping", page
        assert tray._detail.text() == "Stopping…", page
        assert not tray.cancel_button.isEnabled(), page
