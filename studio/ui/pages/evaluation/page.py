"""Evaluate page: new evaluation and list on the left, report on the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from PySide6.QtWidgets import (
    QCheckBox,
    QWidget,
)

from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.networks.library import MODEL_FILES
from studio.engine.tasks import known_task
from studio.engine.workspace import RecordKind
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice, task_of
from studio.ui.bridge.run_chooser import RunForm
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.language import translated
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.foreign_model import ForeignModelFields
from studio.ui.pages.evaluation.pictures import OpenReport
from studio.ui.pages.evaluation.report import EvaluationPanel, panel_class
from studio.ui.pages.evaluation.state import EvaluationSummary, evaluation, rivals
from studio.ui.pages.record_page import RecordList, RecordRow
from studio.ui.pages.run_page import RunPage
from studio.ui.shared.file_dialogs import ask_file
from studio.ui.shared.jobs import JobRequest, show_job, show_start
from studio.ui.shared.records import Trash
from studio.ui.shared.training import train_first
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.job_rows import JobRow
from studio.ui.widgets.labels import ElidedLabel, apart
from studio.ui.widgets.layout import fill, hbox, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import allow, explain

Panel = TypeVar("Panel", bound=EvaluationPanel[Any])
_LEFT: Final = 236
_WIDE_LEFT: Final = 280


class View(RunPage):
    """Evaluates models and shows the reports."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        form, kinds = NewEvaluation(context), (RecordKind.EVALUATION,)
        super().__init__(context, kinds, form, parent)
        self.form = form
        # Ids of the evaluations whose report is in its panel, and whose report is being read.
        self._open_report = self._requested_report = ""
        self._opening = Request(context.background, self)
        choice = self.chooser.choice()
        self._chosen = "" if choice is None else choice.id
        theme = context.theme
        self._trash = Trash(context, self)
        self.form.setMinimumWidth(_LEFT)
        self._requesting = JobRequest(context, self.form, request_evaluation, self)
        self.list = RecordList(context, kinds, self.tr("All evaluations"), self._describe, self)
        self.progress = JobRow(theme, "", self)
        self.progress.open_button.hide()
        # Parts are made where they stay: Qt styles all widgets of a part that moves.
        self.detail = self.add_view(QWidget(self.stack))
        self._parts = PageStack(self.detail)
        self.problem = EmptyState(theme, "evaluate", "", "", self._parts)
        self._reading = QWidget(self._parts)
        self._panels: list[EvaluationPanel[Any]] = []
        self._panel: EvaluationPanel[Any] | None = None
        self._parts.add_pages(self._reading, self.problem)
        vbox(self.progress, (self._parts, 1), owner=self.detail, spacing=SPACE.m, margins=SPACE.l)
        message = EmptyState(theme, "evaluate", "", "", self.stack)
        self.nothing = self.message = self.add_view(message)
        then = self.tr("Then see its metrics and the images it gets wrong.")
        self.empty = train_first(context, "evaluate", then, self.stack)
        self._connect()
        explain(self.list, self.tr("All evaluations, newest first. Choose one to see its report."))
        parts = self.form, (self.list, 1)
        self.lay_out("evaluation", self.list, self.empty, *parts, width=_WIDE_LEFT)

    def _connect(self) -> None:
        self.form.submitted.connect(self._requesting.ask)
        self._requesting.accepted.connect(self.show_record)
        self.list.chosen.connect(self.show_record)
        self.progress.cancel_requested.connect(self._on_cancel)

    def panel_of(self, kind: type[Panel]) -> Panel:
        """Return the panel of a class; made for the first report that it shows."""
        found = next((each for each in self._panels if isinstance(each, kind)), None)
        if found is None:
            found = kind(self.context, parent=self._parts)
            found.robustness_requested.connect(self._on_robustness)
            found.trash_requested.connect(self._on_trash)
            self._parts.addWidget(found)
            self._panels.append(found)
        return found

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return the action for a dropped model file."""
        if len(paths) == 1 and paths[0].suffix.lower() in MODEL_FILES:
            return self.tr("Evaluate {name}").format(name=paths[0].name)
        return ""

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Evaluate the model file."""
        self.form.use_file(paths[0])

    def evaluations(self) -> list[EvaluationSummary]:
        """Return all evaluations of the workspace, newest first."""
        found = map(self._evaluation, self.context.jobs.entries(RecordKind.EVALUATION))
        return [each for each in found if each is not None]

    def _evaluation(self, entry: RecordDocument) -> EvaluationSummary | None:
        run = self.context.jobs.get(RecordKind.RUN, getattr(entry.plan, "run", ""))
        return evaluation(entry, run)

    def _describe(self, entry: RecordDocument) -> RecordRow:
        found = self._evaluation(entry)
        if found is None:
            return RecordRow()
        detail = " · ".join(filter(None, (split_word(found.split), found.figure)))
        return RecordRow(detail=detail, tip=detail, name=found.model)

    @property
    def has_content(self) -> bool:
        """True also if there is a dataset: a model file can be evaluated on it."""
        return super().has_content or bool(self.context.jobs.entries(RecordKind.DATASET))

    def choose(self, choice: RunChoice | None) -> None:
        """Show the report of the model that the form names."""
        run = "" if choice is None else choice.id
        is_other = run != self._chosen
        self._chosen = run
        if is_other and (self.shown is None or _run_of(self.shown) != run):
            self.show_start()
        super().choose(choice)

    def start_entries(self) -> Sequence[RecordDocument]:
        """Return the evaluations of the chosen model, newest first."""
        entries, choice = super().start_entries(), self.chooser.choice()
        return [each for each in entries if choice is None or _run_of(each) == choice.id]

    def show_entry(self, entry: RecordDocument) -> None:
        """Show an evaluation, and choose its model in the form, which may name another later."""
        super().show_entry(entry)
        run = _run_of(entry)
        if self.context.jobs.get(RecordKind.RUN, run) is not None:
            self.chooser.select(run)

    def show_nothing(self) -> None:
        """Show that the chosen model has no report, which those of other models do not replace."""
        choice = self.chooser.choice()
        title, how = (
            self.tr("No evaluations yet"),
            self.tr(
                "Choose a model and press Evaluate to see its metrics and the images it gets "
                "wrong."
            ),
        )
        if choice is not None and self.evaluations():
            title = self.tr("“{run}” is not evaluated yet").format(run=apart(choice.name))
            how = self.tr("Press Evaluate to see its metrics and the images it gets wrong.")
        self.message.set_texts(title, how)
        super().show_nothing()

    def show_detail(self, entry: RecordDocument) -> QWidget:
        """Show a report, the progress of its evaluation, or why there is none."""
        shown = self._evaluation(entry)
        is_active = shown is not None and shown.is_active
        self.progress.setVisible(is_active)
        if shown is None:
            self._show_problem(entry.name, "")
        elif is_active:
            self._show_progress(shown, entry)
        elif not shown.has_report:
            self._show_problem(shown.model, messages.missing_report_text(shown))
        elif shown.id == self._open_report:
            self._show_rivals(shown)
            self._parts.setCurrentWidget(self._panel or self._reading)
        elif shown.id != self._requested_report:
            self._open(shown)
        return self.detail

    def refresh(self) -> None:
        """Offer the evaluations of today for comparisons."""
        shown = None if self.shown is None else self._evaluation(self.shown)
        if shown is not None and shown.id == self._open_report:
            self._show_rivals(shown)

    def follow(self, entry: RecordDocument, change: RecordChange) -> None:
        """Show its progress, or its report once it has ended; see `RecordPage.follow`."""
        if change.is_removed:
            self._close_report()
        else:
            self.show_detail(entry)

    def _show_rivals(self, shown: EvaluationSummary) -> None:
        if self._panel is not None:
            self._panel.show_rivals(rivals(self.evaluations(), shown))

    def _open(self, shown: EvaluationSummary) -> None:
        self._close_report()
        self._requested_report = shown.id
        self._parts.setCurrentWidget(self._reading)
        # Qt classes are defined in the thread of the window.
        panel = panel_class(view_of(known_task(shown.task)).report)
        work = partial(panel.opened.read, self.context.workspace, shown.folder)
        done = partial(self._on_report, shown, panel)
        self._opening.run(work, done, partial(self._on_unreadable, shown))

    def _on_report(
        self,
        shown: EvaluationSummary,
        panel: type[EvaluationPanel[Any]],
        open_report: OpenReport[Any],
    ) -> None:
        self._open_report = shown.id
        self._panel = self.panel_of(panel)
        self._panel.show_report(open_report)
        self._show_rivals(shown)
        self._parts.setCurrentWidget(self._panel)

    def _on_unreadable(self, shown: EvaluationSummary, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._close_report()  # read again when it is chosen again
            self.context.navigator.show_failure(error)
        else:
            self._show_problem(shown.model, str(error))

    def _show_progress(self, shown: EvaluationSummary, entry: RecordDocument) -> None:
        self._close_report()
        title = self.tr("{model} · {split}").format(
            model=shown.model, split=split_word(shown.split)
        )
        show_job(self.progress, entry)
        self.progress.set_title(title)
        self._parts.setCurrentWidget(self._reading)

    def _show_problem(self, title: str, text: str) -> None:
        self._close_report()
        self.problem.set_texts(title, text)
        self._parts.setCurrentWidget(self.problem)

    def _close_report(self) -> None:
        self._open_report = self._requested_report = ""
        self._opening.drop()

    def _on_cancel(self) -> None:
        if self.shown is not None:
            self.context.jobs.stop(self.shown)

    def _on_robustness(self) -> None:
        if self.shown is not None and isinstance(self.shown.plan, EvaluationPlan):
            self.form.measure_robustness(self.shown.plan.split)

    def _on_trash(self) -> None:
        if self.shown is not None:
            self._trash.throw(self.shown.record, self.shown.name)


def _run_of(entry: RecordDocument) -> str:
    """Return the id of the run of an evaluation; empty for a model file."""
    return entry.plan.run if isinstance(entry.plan, EvaluationPlan) else ""


CHOICE_KEY: Final = "evaluation/run"
FOLDER_KEY: Final = "evaluation/model"
SPLITS: Final = ("test", "val", "train")


class NewEvaluation(RunForm):
    """Form of a new evaluation."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context.jobs, context.settings, CHOICE_KEY, parent)
        self._context = context
        self._file: Path | None = None
        theme = context.theme
        self.chooser.setMinimumContentsLength(12)
        self.checkpoint = ComboBox(self, self.tr("Checkpoint"))
        button = partial(push_button, theme=theme, parent=self)
        file = self.tr("Evaluates a Keras model that was trained outside Studio.")
        self.file_button = button(
            self.tr("Model file…"), icon="folder", tip=file, on_click=self._on_file
        )
        self.file_name = ElidedLabel("", self)
        self.back_button = icon_button(
            "close", self.tr("Choose a run instead"), theme, parent=self, on_click=self._on_back
        )
        self.foreign = ForeignModelFields(context, self)
        self.dataset = ComboBox(self, self.tr("Dataset"))
        self.split = ComboBox(self, self.tr("Images"))
        self.split.set_entries((split_word(split), split) for split in SPLITS)
        self.robustness = QCheckBox(self.tr("Robustness"), self)
        explain(
            self.robustness,
            self.tr(
                "Also evaluates blurred, noisy, compressed, rotated, darkened and covered images."
            ),
        )
        predicts = self.tr("Predicts each image and compares the predictions with the labels.")
        self.button = button(self.tr("Evaluate"), kind="primary", icon="evaluate", tip=predicts)
        self.button.clicked.connect(self._on_evaluate)
        self._lay_out()
        self._connect()
        self.setAccessibleName(self.tr("New evaluation"))
        explain(
            self.dataset,
            self.tr("Dataset to evaluate on. Another one shows how well the model generalizes."),
        )
        explain(self.checkpoint, self.tr("Epoch whose weights are evaluated."))
        explain(
            self.split,
            self.tr("Test images were not used for training, so their results are unbiased."),
        )
        self._fill_datasets()
        self.refresh()

    def _lay_out(self) -> None:
        self.body.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        self.body.setSpacing(SPACE.s)
        fill(
            self.body,
            text_label(self.tr("Model"), "caption", self),
            self.chooser,
            self.checkpoint,
            hbox((self.file_name, 1), self.back_button, spacing=SPACE.xs),
            self.file_button,
            self.foreign,
            text_label(self.tr("Images"), "caption", self),
            self.dataset,
            self.split,
            self.robustness,
            self.problem,
            self.button,
        )

    def _connect(self) -> None:
        self._context.jobs.listed.connect(self._on_listed)
        self.chooser.changed.connect(self.on_change)
        for combo in (self.dataset, self.split, self.checkpoint):
            combo.activated.connect(self.on_change)

    def use_file(self, path: Path) -> None:
        """Evaluate a model file instead of a run."""
        self._file = path
        self.foreign.clear()
        self.refresh()

    def measure_robustness(self, split: str) -> None:
        """Evaluate the chosen model once more, on corrupted images of a split, too."""
        self.split.choose(split)
        self.robustness.setChecked(True)
        self._on_evaluate()

    def refresh(self) -> None:
        """Show the fields of a run or of a model file, and if it can be evaluated."""
        choice = self.chooser.choice()
        self._fill_checkpoints(choice)
        of_file = self._file is not None
        self.file_name.setText(self._file.name if self._file is not None else "")
        self.foreign.setVisible(of_file)
        for widget in (self.file_name, self.back_button):
            widget.setVisible(of_file)
        self.chooser.setVisible(not of_file)
        self.file_button.setVisible(not of_file)
        self.checkpoint.setVisible(not of_file and self.checkpoint.count() > 1)
        reason = "" if of_file else task_of(choice).capabilities.reason("robustness")
        allow(self.robustness, translated(reason))
        refusal = translated(self._context.workspace.refusal(RecordKind.EVALUATION))
        allow(self.button, refusal or self._why_not(choice))
        show_start(self.button, self.tr("Evaluate"), is_asked=self.is_asking)

    def _why_not(self, choice: RunChoice | None) -> str:
        """Return why Evaluate is disabled; empty if it is not."""
        if self._file is None and choice is None:
            return self.tr("Train a network first, or choose a model file.")
        if self._file is not None and not self.dataset.currentData():
            return self.tr("Choose the dataset to evaluate the model file on.")
        return self.tr("Preparing the evaluation…") if self.is_asking else ""

    def _fill_checkpoints(self, choice: RunChoice | None) -> None:
        pattern = self.tr("After epoch {epoch}")
        epochs = (
            (pattern.format(epoch=significant(epoch, 3)), f"{epoch:g}")
            for epoch in (() if choice is None else choice.checkpoints)
        )
        self.checkpoint.set_entries([(self.tr("Stored model"), ""), *epochs])

    def _fill_datasets(self) -> None:
        datasets = self._context.jobs.completed(RecordKind.DATASET)
        named = ((each.name, each.record.id) for each in datasets)
        self.dataset.set_entries([(self.tr("Dataset of the run"), ""), *named])

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._fill_datasets()
            self.refresh()

    def _on_back(self) -> None:
        self._file = None
        self.on_change()

    def _on_file(self) -> None:
        title = self.tr("Choose a model")
        kinds = self.tr("Models (*.keras *.h5 *.hdf5 *.onnx *.tflite *.xml)")
        path = ask_file(self, title, self._context.settings, FOLDER_KEY, kinds)
        if path is not None:
            self.use_file(path)

    def _on_evaluate(self) -> None:
        choice = self.chooser.choice()
        if not self.button.isEnabled():
            return
        values: dict[str, object] = {
            "dataset": self.dataset.currentData(),
            "split": self.split.currentData(),
            "robustness": self.robustness.isChecked() and self.robustness.isEnabled(),
        }
        if self._file is not None:
            facts = self.foreign.options()
            values["model_file"] = str(self._file)
            values |= {"preprocessing": facts.preprocessing or "", "class_names": facts.classes}
        elif choice is not None:
            values |= {"run": choice.id, "checkpoint": self.checkpoint.currentData() or ""}
        self.problem.show_problem()
        self.submitted.emit(EvaluationPlan.parse(values))
