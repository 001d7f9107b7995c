"""The network of a plan, its starting weights and which layers are frozen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QButtonGroup, QFormLayout, QLabel, QRadioButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.exporting.requests import SavedExport, exported_models
from studio.engine.inference.requests import expand
from studio.engine.messages import joined
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.catalog import (
    GROUPS,
    Entry,
    Shape,
    backbone_of,
    own_entries,
    own_entry,
    zoo_entries,
    zoo_entry,
)
from studio.engine.networks.enlarging import size_seen
from studio.engine.networks.library import NetworkChoice, SavedNetwork, saved
from studio.engine.networks.parts import ALL, NONE, blocks_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks.outputs import VECTOR, Output
from studio.engine.tasks.task import Task
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.recipes import RECIPES
from studio.engine.training.starting_weights import network_of_run
from studio.engine.training.weight_matching import network_of_weights
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.jobs import Jobs
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice, RunChoices
from studio.ui.bridge.run_chooser import find_run
from studio.ui.context import AppContext
from studio.ui.documents.plan import PlanDocument
from studio.ui.language import translated
from studio.ui.navigation import OpenRecord
from studio.ui.pages.train.plan.recommendation import PlanOutlook
from studio.ui.shared.training import ask_weights_file, entry_name
from studio.ui.shared.weights_row import WeightsRow
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import number
from studio.ui.widgets.inputs import ComboBox, horizontal_slider
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import fill, hbox, vbox
from studio.ui.widgets.tips import allow, explain

_NAME = Qt.ItemDataRole.UserRole
_GIVEN = "given"


class NetworkPicker(QWidget):
    """A list under headings, with what the chosen network is good for.

    Attributes:
        reasons: Why networks do not take the images at hand, by name.

    Signals:
        chosen: Another network is chosen, by the user or because the last one does not fit.
    """

    chosen = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entries: dict[str, Entry] = {}
        self.reasons: dict[str, str] = {}
        self._requested = ""
        self._size: tuple[Shape, int] | None = None
        self._checking = Request(context.background, self)
        self._outputs: tuple[Output, ...] = (VECTOR,)
        self._own: list[Entry] = []
        # For a cloned run: its network may no longer be among the saved ones.
        self._given: list[Entry] = []
        self.setAccessibleName(self.tr("Network"))
        self.box = ComboBox(self, self.tr("Network"))
        self.box.setMaxVisibleItems(24)
        self._model = QStandardItemModel(self.box)
        self.box.setModel(self._model)
        self._caption = HintLabel(parent=self)
        shows = self.tr("Shows all networks with their sizes and drawings.")
        self.browse_button = push_button(
            self.tr("Show networks…"), context.theme, icon="networks", parent=self, tip=shows
        )
        self.browse_button.clicked.connect(self._on_browse)
        row = hbox((self.box, 1), self.browse_button, spacing=SPACE.s)
        vbox(row, self._caption, owner=self, spacing=SPACE.s)
        self.box.activated.connect(self._on_activated)
        self._fill()
        self.read()
        larger = self.tr("The network to train. Larger networks are more capable and take longer.")
        explain(self.box, larger)

    @property
    def entry(self) -> Entry:
        """The network that is chosen."""
        return self._entries[str(self.box.currentData(_NAME))]

    def choice(self) -> NetworkChoice:
        """Return the network for a plan."""
        entry = self.entry
        return NetworkChoice(entry.name if entry.drawing is None else entry.label, entry.drawing)

    def read(self) -> None:
        """Read the saved networks again."""
        work = partial(saved, self._context.workspace)
        self._context.background.run(self, work, self._on_saved)

    def select(self, name: str) -> None:
        """Choose a network by its name in the zoo or its id, now or as soon as it is known."""
        self._requested = name
        varied = zoo_entry(name) if name not in self._entries else None
        if varied is not None:
            self._take_over(varied)
        elif name in self._entries:
            self._show_requested()
        else:
            self.read()

    def give(self, network: str, design: NetworkSpec | None) -> None:
        """Choose the network of a plan; a drawing is offered as it was then."""
        if design is None:
            self.select(network)
            return
        self._take_over(own_entry(_GIVEN, network, design))

    def _take_over(self, given: Entry) -> None:
        """Offer a network that is not in the list, and choose it."""
        self._given = [given]
        self.reasons.pop(given.name, None)
        self._requested = given.name
        self._fill()
        if self._size is not None:
            self._look_for_reasons(*self._size)

    def fit_to(self, shape: Shape, classes: int, task: Task) -> None:
        """Offer the networks of a task, and disable what does not take its images.

        The reasons come a moment later.

        Args:
            shape: Height, width and channels of the images.
            classes: Number of outputs.
            task: Task of the dataset.
        """
        if task.outputs != self._outputs:
            self._outputs = task.outputs
            self._fill()
            self.chosen.emit()
        self._look_for_reasons(shape, classes)

    def _look_for_reasons(self, shape: Shape, classes: int) -> None:
        self._size = (shape, classes)
        work = partial(_reasons, list(self._entries.values()), shape, classes)
        self._checking.run(work, self._on_reasons)

    def _on_saved(self, networks: list[SavedNetwork]) -> None:
        own = own_entries(networks)
        if own != self._own:
            self._own = own
            self._fill()
            if self._size is not None:
                self._look_for_reasons(*self._size)
        if self._show_requested():
            self.chosen.emit()

    def _fill(self) -> None:
        """Refresh the list and keep the choice if possible."""
        before = self.box.currentData(_NAME)
        known = [*self._given, *self._own, *zoo_entries()]
        entries = [each for each in known if each.output in self._outputs]
        self._entries = {entry.name: entry for entry in entries}
        self._model.clear()
        for group, label in GROUPS.items():
            members = [entry for entry in entries if entry.group == group]
            if members:
                heading = QStandardItem(translated(label))
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                font = self.box.font()
                font.setWeight(font.Weight.DemiBold)
                heading.setFont(font)
                self._model.appendRow(heading)
            for entry in members:
                self._model.appendRow(self._item(entry))
        if not self._show_requested():
            self._show(before if before in self._entries else entries[0].name)

    def _item(self, entry: Entry) -> QStandardItem:
        words = entry_name(entry)
        if entry.name == _GIVEN and entry.label in ZOO:
            label = translated(ZOO[entry.label].label)
            words = self.tr("{name}, images enlarged").format(name=label)
        elif entry.name == _GIVEN:
            words = self.tr("{name}, taken over").format(name=entry.label)
        elif entry in self._given:
            words = f"{words} ({entry.name.partition(':')[2]})"
        item = QStandardItem(words)
        item.setData(entry.name, _NAME)
        self._allow(item)
        return item

    def _on_reasons(self, reasons: dict[str, str]) -> None:
        self.reasons = reasons
        for row in range(self._model.rowCount()):
            self._allow(self._model.item(row))
        if reasons.get(self.entry.name):
            able = next((name for name in self._entries if not reasons.get(name)), None)
            if able is not None:
                self._show(able)
                self.chosen.emit()
        self._describe()

    def _allow(self, item: QStandardItem) -> None:
        """Let a network be chosen, or say why it cannot be."""
        name = item.data(_NAME)
        if name is not None:
            reason = self.reasons.get(name, "")
            item.setEnabled(not reason)
            item.setToolTip(reason or self._entries[name].paper)

    def _show_requested(self) -> bool:
        """Show the network that was requested before it was known; return True if there is one."""
        if self._requested not in self._entries:
            return False
        requested, self._requested = self._requested, ""
        self._show(requested)
        return True

    def _show(self, name: str) -> None:
        self.box.setCurrentIndex(self.box.findData(name, _NAME))
        self._describe()

    def _describe(self) -> None:
        entry = self.entry
        reason = self.reasons.get(entry.name, "")
        self._caption.show_text(reason or self._summary(entry), "problem" if reason else "help")

    def _summary(self, entry: Entry) -> str:
        """Return what a network is good for, or where it comes from."""
        if entry.name != _GIVEN:
            return entry.summary or self.tr("Your own network.")
        if entry.label not in ZOO:
            return self.tr("The network of the settings that were taken over.")
        enlarges = self.tr("Its first layer enlarges the images.")
        return f"{translated(ZOO[entry.label].summary)} {enlarges}"

    def _on_activated(self, _index: int) -> None:
        self._describe()
        self.chosen.emit()

    def _on_browse(self) -> None:
        self._context.navigator.open(OpenRecord("networks", self.entry.name))


def _reasons(entries: Sequence[Entry], shape: Shape, classes: int) -> dict[str, str]:
    return {entry.name: translated(_reason(entry, shape, classes)) for entry in entries}


def _reason(entry: Entry, shape: Shape, classes: int) -> str:
    """Return why a network takes images neither as they are nor enlarged for published weights."""
    reason = entry.fitting(shape, classes)[1]
    if not reason or entry.drawing is not None or not ZOO[entry.name].backbone:
        return reason
    enlarged = size_seen(entry.name, shape[:2])
    return entry.fitting((*enlarged, shape[2]), classes)[1]


class FreezeSlider(QWidget):
    """A slider from the images to the head.

    Attributes:
        freeze: The value of the plan.
        choices: The values that can be chosen, from left to right.

    Signals:
        changed: The user has moved it.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choices: list[str] = [NONE, ALL]
        self.freeze = NONE
        self.slider = horizontal_slider(self, self.tr("Freeze"), 0, 1, 0)
        self.slider.setPageStep(1)
        frozen = self.tr(
            "Frozen layers keep their pretrained weights. This is faster and needs fewer images."
        )
        explain(self.slider, frozen)
        self._label = QLabel(self)
        self._label.setMinimumWidth(132)
        hbox((self.slider, 1), self._label, owner=self, spacing=SPACE.m)
        self.slider.valueChanged.connect(self._on_moved)
        self._show()

    def set_freeze(self, freeze: str) -> None:
        """Show the frozen part without a signal. A value that is not a choice is shown as text."""
        self.freeze = freeze
        self._show()

    def set_blocks(self, blocks: Sequence[str]) -> None:
        """Offer these blocks, from the images to the head."""
        self.choices = [NONE, *blocks, ALL]
        self._show()

    def _show(self) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self.choices) - 1)
            if self.freeze in self.choices:
                self.slider.setValue(self.choices.index(self.freeze))
        words = {NONE: self.tr("nothing"), ALL: self.tr("all but the head")}
        text = words.get(self.freeze) or self.tr("up to {block}").format(block=self.freeze)
        self._label.setText(text)
        self._label.setToolTip(text)
        self.slider.setAccessibleDescription(text)

    def _on_moved(self, index: int) -> None:
        self.freeze = self.choices[index]
        self._show()
        self.changed.emit()


RANDOM = ""
_ASK = "?"
_FIND = "??"


class WeightsBox(ComboBox):
    """A list of sources; the last entry asks for a file.

    Attributes:
        source: The value of the plan.

    Signals:
        changed: The user has chosen another source.
    """

    changed = Signal()

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._runs: list[RunChoice] = []
        self._has_more = False
        self._exports: list[SavedExport] = []
        self.source = RANDOM
        self._why_no_imagenet = ""
        self.setAccessibleName(self.tr("Starting weights"))
        self.activated.connect(self._on_activated)
        jobs.listed.connect(self._on_listed)
        self._read_runs()
        self._fill()

    def set_source(self, source: str) -> None:
        """Choose a source; emits nothing."""
        self.source = source
        self._read_runs()
        self._fill()

    def set_exports(self, exports: Sequence[SavedExport]) -> None:
        """Offer what was exported and kept."""
        if list(exports) != self._exports:
            self._exports = list(exports)
            self._fill()

    def set_imagenet(self, why_not: str) -> None:
        """Offer published weights, or say why there are none."""
        self._why_no_imagenet = why_not
        self._fill()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.RUN in kinds and self._read_runs():
            self._fill()

    def _read_runs(self) -> bool:
        """Look at the runs again; gives back whether others are to be listed."""
        before = self._runs, self._has_more
        run_id = self.source.removeprefix(RUN_PREFIX).partition("@")[0]
        self._runs, self._has_more = RunChoices.of(self._jobs).listed(run_id)
        return before != (self._runs, self._has_more)

    def _fill(self) -> None:
        self.clear()
        self.addItem(self.tr("Random weights"), RANDOM)
        self.addItem(self.tr("ImageNet (1.3 million photographs)"), IMAGENET)
        of_run, of_epoch = self.tr("The run “{name}”"), self.tr("The run “{name}”, epoch {epoch}")
        for run in self._runs:
            self.addItem(of_run.format(name=run.name), f"{RUN_PREFIX}{run.id}")
            for epoch in run.checkpoints:
                words = of_epoch.format(name=run.name, epoch=number(epoch))
                self.addItem(words, f"{RUN_PREFIX}{run.id}@{epoch:g}")
        if self._has_more:
            self.addItem(self.tr("Another run…"), _FIND)
        for export in self._exports:
            self.addItem(self.tr("The export “{name}”").format(name=export.name), export.weights)
        if self.findData(self.source) < 0:
            self.addItem(Path(self.source).name, self.source)
        self.addItem(self.tr("A file…"), _ASK)
        model = self.model()
        if isinstance(model, QStandardItemModel):
            item = model.item(self.findData(IMAGENET))
            item.setEnabled(not self._why_no_imagenet or self.source == IMAGENET)
            item.setToolTip(self._why_no_imagenet)
        self.choose(self.source)

    def _on_activated(self, _index: int) -> None:
        chosen = str(self.currentData())
        if chosen == _ASK:
            path = ask_weights_file(self)
            chosen = self.source if path is None else str(path)
        if chosen == _FIND:
            find_run(self._jobs, self, self._on_found)
            chosen = self.source
        self.take(chosen)

    def _on_found(self, run: RunChoice) -> None:
        self.take(f"{RUN_PREFIX}{run.id}")

    def take(self, source: str) -> None:
        """Choose weights as the user does, with the signal.

        Args:
            source: As in a plan.
        """
        is_other = source != self.source
        self.set_source(source)
        if is_other:
            self.changed.emit()


def network_of_source(workspace: Workspace, source: str) -> NetworkChoice | None:
    """Return the network of a run or of a weights file; any thread.

    Args:
        workspace: Workspace of the runs.
        source: Weights as named in a plan.

    Returns:
        None if the weights fit several networks, or one that Studio does not know.

    Raises:
        StudioError: The run or the file cannot be read.
    """
    if source == IMAGENET:
        return None
    if source.startswith(RUN_PREFIX):
        run = workspace.record(RecordKind.RUN, source.removeprefix(RUN_PREFIX).partition("@")[0])
        if run is None:
            return None
        return network_of_run(workspace, run)
    network = network_of_weights(Path(source))
    return NetworkChoice(network, None) if network else None


class PretrainedCard(Card):
    """Edits `weights` and `freeze` of a training plan; a recipe sets more than these.

    Attributes:
        buttons: The buttons of the recipes, by name.

    Signals:
        changed: The user has changed the weights or what is frozen.
        recipe_requested: Name of the recipe that was pressed.
    """

    changed = Signal()
    recipe_requested = Signal(str)

    def __init__(
        self,
        context: AppContext,
        document: PlanDocument[TrainingPlan],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Pretrained weights"))
        self._context = context
        self._document = document
        self._spec: NetworkSpec | None = None
        self.buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._fields = QFormLayout()
        self.advice = HintLabel(parent=self)
        self.weights = WeightsBox(context.jobs, self)
        self.freeze = FreezeSlider(self)
        self.unknown = HintLabel("", "advice", self)
        self.published = WeightsRow(context, self)
        self.published.show_backbone("")
        self._lay_out()
        for signal in (self.weights.changed, self.freeze.changed):
            signal.connect(self._on_edited)
        document.observe(self._show_document)
        self._read_exports()
        context.jobs.listed.connect(self._on_listed)
        explain(self.weights, self.tr("Pretrained weights need far fewer images."))

    def show_outlook(self, outlook: PlanOutlook) -> None:
        """Show which recipe the plan is, what can be frozen, and what is recommended."""
        if outlook.network is not None and outlook.network != self._spec:
            self._spec = outlook.network
            self._find_blocks(outlook.network)
        self._group.setExclusive(False)
        for name, button in self.buttons.items():
            button.setChecked(name == outlook.recipe)
            self._allow(name, self._why_not(name, outlook))
        self._group.setExclusive(True)
        self._show_advice(None if outlook.is_fitted else outlook.advice)
        self._show_treatment(is_fitted=outlook.is_fitted)
        needs_published = outlook.network is not None and outlook.plan.weights == IMAGENET
        backbone = backbone_of(outlook.network) if needs_published and outlook.network else None
        self.published.show_backbone(backbone or "")

    def _why_not(self, recipe: str, outlook: PlanOutlook) -> str:
        if outlook.network is None:
            return self.tr("Choose a dataset that fits this network first.")
        has_weights = bool(outlook.plan.weights or backbone_of(outlook.network))
        if RECIPES[recipe].is_pretrained and not has_weights:
            return self.tr("Choose pretrained weights first: a file or a run.")
        return ""

    def _allow(self, recipe: str, why_not: str) -> None:
        allow(self.buttons[recipe], why_not, translated(RECIPES[recipe].summary))

    def _show_advice(self, advice: TrainingAdvice | None) -> None:
        for recipe in RECIPES:
            words = translated(recipe.label)
            if advice is not None and advice.recipe is recipe:
                words = self.tr("{recipe} (recommended)").format(recipe=words)
            self.buttons[recipe.name].setText(words)
        reasons = () if advice is None else (*advice.reasons, *advice.hints)
        self.advice.show_text(joined(reasons))

    def _show_treatment(self, *, is_fitted: bool) -> None:
        """Show what is trained of the network; a fit to frozen features leaves no choice."""
        for button in self.buttons.values():
            button.setVisible(not is_fitted)
        self._fields.setRowVisible(self.freeze, not is_fitted)

    def _lay_out(self) -> None:
        for recipe in RECIPES:
            button = QRadioButton(translated(recipe.label), self)
            button.setAccessibleDescription(translated(recipe.summary))
            button.clicked.connect(partial(self._on_recipe, recipe.name))
            self._group.addButton(button)
            self.buttons[recipe.name] = button
            self._allow(recipe.name, self.tr("Choose a dataset first."))
            self.body.addWidget(button)
        self.body.addWidget(self.advice)
        fields = self._fields
        fields.setHorizontalSpacing(SPACE.l)
        fields.setVerticalSpacing(SPACE.s)
        for word, widget in (
            (self.tr("Start from"), self.weights),
            (self.tr("Freeze"), self.freeze),
        ):
            label = QLabel(word, self)
            label.setBuddy(widget)
            fields.addRow(label, widget)
        fill(self.body, fields, self.published, self.unknown)

    def _show_document(self) -> None:
        values = self._document.values()
        weights, freeze = str(values["weights"]), str(values["freeze"])
        if weights != self.weights.source:
            self.weights.set_source(weights)
        if freeze != self.freeze.freeze:
            self.freeze.set_freeze(freeze)

    def _on_edited(self) -> None:
        values = {"weights": self.weights.source, "freeze": self.freeze.freeze}
        self._document.set_values(values)
        self.changed.emit()

    def _on_recipe(self, name: str, _checked: bool = True) -> None:
        self.recipe_requested.emit(name)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.EXPORT in kinds:
            self._read_exports()

    def _read_exports(self) -> None:
        work = partial(exported_models, self._context.workspace)
        self._context.background.run(self, work, self.weights.set_exports)

    def _find_blocks(self, spec: NetworkSpec) -> None:
        """Say what can be frozen; the blocks inside a backbone are known to Keras alone."""
        has_backbone = bool(backbone_of(spec))
        why_not = self.tr("ImageNet weights exist only for networks marked “Pretrained”.")
        self.weights.set_imagenet("" if has_backbone else why_not)
        self.freeze.set_blocks(blocks_of(spec))
        if sum(node.layer == "backbone" for node in spec.nodes) == 1:  # else names are not unique
            ask = partial(expand, self._context.engine, spec)
            shown = partial(self._on_expanded, spec)
            self._context.background.ask(self, ask, shown, self._on_unknown)

    def _on_expanded(self, spec: NetworkSpec, expanded: NetworkSpec) -> None:
        if spec == self._spec:
            self.freeze.set_blocks(blocks_of(expanded))
            self.unknown.show_text("")

    def _on_unknown(self, error: BaseException) -> None:
        self._spec = None  # asked again with the next change
        if isinstance(error, StudioError):
            words = self.tr("Its layers cannot be listed for freezing: {reason}")
            self.unknown.show_text(words.format(reason=translated(error.message)), "advice")
        else:
            self._context.navigator.show_failure(error)
