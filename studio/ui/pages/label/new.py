"""The form of a new labeling."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from studio.engine.errors import StudioError
from studio.engine.labeling.plan import LabelClass, LabelingPlan, parsed_class
from studio.engine.labeling.project import Labeling
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.workspace import Record, RecordKind
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.shared.records import RecordName
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, vbox
from studio.ui.widgets.pages import PageHeader, ScrollColumn
from studio.ui.widgets.tips import explain


class NewLabeling(QWidget):
    """Name, task and classes of a new labeling, and where its pictures are.

    Signals:
        created: The `Record`, and the paths of pictures to add.
        cancelled: The user wants none.
    """

    created = Signal(object, list)
    cancelled = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.paths: list[Path] = []
        self.name = RecordName(self.tr("Name of the labeling"), self)
        self.task = ComboBox(self)
        self.task.setAccessibleName(self.tr("Task"))
        for task in TASKS.values():
            self.task.addItem(view_of(task).words(task).choice, task.name)
        self.task_help = HintLabel("", parent=self)
        self.classes = QPlainTextEdit(self)
        self.classes.setTabChangesFocus(True)
        self.classes.setFixedHeight(120)
        self.classes_label = QLabel(self)
        self.classes_label.setBuddy(self.classes)
        self.drop = DropArea(
            context.theme,
            self.tr("Drop pictures, folders or a video"),
            self.tr("Or add them later: also from a dataset, a webcam or the screen."),
            button=self.tr("Choose a folder…"),
            parent=self,
        )
        self.create_button = push_button(
            self.tr("Start labeling"),
            context.theme,
            kind="primary",
            icon="label",
            tip=self.tr("Creates the labeling and shows its first picture."),
            on_click=self.create_labeling,
        )
        self.cancel_button = push_button(
            self.tr("Cancel"),
            context.theme,
            kind="quiet",
            tip=self.tr("Creates nothing."),
            on_click=self.cancelled.emit,
        )
        self.problem = HintLabel("", "problem", self)
        self._lay_out()
        self.task.currentIndexChanged.connect(self._on_task)
        self.drop.paths_dropped.connect(self.set_paths)
        self.drop.browse_requested.connect(self._on_browse)
        self._on_task()

    def reset(self) -> None:
        """Begin with an empty form."""
        self.paths = []
        self.classes.clear()
        self.task.setCurrentIndex(self.task.findData(DEFAULT_TASK.name))
        self.problem.show_text("")
        self.name.accept()
        self.set_paths([])

    def set_paths(self, paths: list[Path]) -> None:
        """Add pictures of these paths once the labeling is created."""
        self.paths = list(paths)
        taken = [info.name for _, info in self._context.workspace.infos(RecordKind.LABELING)]
        first = paths[0].stem if paths else self.tr("labels")
        self.name.suggest(first, taken)
        if paths:
            shown = ", ".join(path.name for path in paths[:3])
            self.drop.set_text(
                shown, self.tr("Their pictures are added. Your files stay as they are.")
            )

    def create_labeling(self) -> None:
        """Create the labeling."""
        try:
            plan = self._plan()
        except StudioError as error:
            self.problem.show_text(error.message, "problem")
            return
        except ValueError as error:
            self.problem.show_text(_reason(error), "problem")
            return
        self.problem.show_text("")
        work = partial(_create, self._context, self.name.text(), plan)
        self._context.background.run(self, work, self._on_created, self._on_failed)

    def _plan(self) -> LabelingPlan:
        lines = [line for line in self.classes.toPlainText().splitlines() if line.strip()]
        classes: list[LabelClass] = [parsed_class(line) for line in lines]
        return LabelingPlan(task=self.task.currentData(), classes=classes)

    def _on_created(self, record: Record) -> None:
        self.name.accept()
        self.created.emit(record, self.paths)

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.name.refuse(error.message)
        else:
            self._context.navigator.show_failure(error)

    def _on_task(self) -> None:
        task = TASKS[self.task.currentData()]
        words = view_of(task).words(task)
        self.task_help.show_text(words.choice_help or translated(task.summary))
        self.classes_label.setText(
            self.tr("{name}, one per line (more can be added while labeling)").format(
                name=view_of(task).heading()
            )
        )
        has_units = task.targets is not None and not task.targets.refusal(0.5)
        example = self.tr("age [years]\nweight [kg]") if has_units else self.tr("cat\ndog")
        self.classes.setPlaceholderText(example)
        self.classes.setAccessibleName(self.classes_label.text())
        explain(self.task, self.tr("Kind of labels that the pictures get."))
        explain(self.classes, self.tr("A color may follow a name, such as cat #e69f00."))

    def _on_browse(self) -> None:
        from PySide6.QtWidgets import QFileDialog  # noqa: PLC0415

        settings = self._context.settings
        name = QFileDialog.getExistingDirectory(
            self, self.tr("Choose a folder of pictures"), str(settings.folder("label"))
        )
        if name:
            settings.set_folder("label", Path(name))
            self.set_paths([Path(name)])

    def _lay_out(self) -> None:
        header = PageHeader(
            self.tr("New labeling"),
            self.tr("Give pictures labels, and make a dataset of them."),
            self,
        )
        column = ScrollColumn(SPACE.m, self)
        task_label = QLabel(self.tr("Task"), self)
        task_label.setBuddy(self.task)
        for part in (
            self.drop,
            self.name,
            task_label,
            self.task,
            self.task_help,
            self.classes_label,
            self.classes,
        ):
            column.column.addWidget(part)
        column.column.addStretch(1)
        vbox(
            header,
            (column, 1),
            self.problem,
            hbox(STRETCH, self.cancel_button, self.create_button, spacing=SPACE.s),
            owner=self,
            spacing=SPACE.m,
            margins=SPACE.xl,
        )


def _create(context: AppContext, name: str, plan: LabelingPlan) -> Record:
    labeling = Labeling.create(context.workspace, name, plan)
    labeling.close()
    return labeling.record


def _reason(error: ValueError) -> str:
    errors = getattr(error, "errors", None)
    if callable(errors):
        found = errors()
        return str(found[0].get("ctx", {}).get("error", found[0]["msg"])) if found else str(error)
    return str(error)
