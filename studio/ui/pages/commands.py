"""Commands of the pages, as data: for the palette, for keys that can be changed, and for menus."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtGui import QKeySequence

from studio.ui.commands import Command, Reach
from studio.ui.navigation import (
    ChooseNetworkFile,
    ChoosePictures,
    DrawNetwork,
    ImportImages,
    ListRuns,
    OpenSample,
    OpenSettings,
    PastePicture,
    PlanBenchmark,
    PlanRun,
    PlanSweep,
    StartLabeling,
)

_dataset_command = partial(Command, page="datasets", reach=Reach.PART)

UNDO: Final = _dataset_command(
    "datasets.undo",
    str(QT_TRANSLATE_NOOP("commands", "Undo the last change of a dataset")),
    # By name: which of the two is "redo" differs between desktops.
    keys="Ctrl+Z",
)
REDO: Final = _dataset_command(
    "datasets.redo",
    str(QT_TRANSLATE_NOOP("commands", "Redo the last change of a dataset")),
    keys="Ctrl+Shift+Z; Ctrl+Y",
)
LARGER: Final = _dataset_command(
    "datasets.larger",
    str(QT_TRANSLATE_NOOP("commands", "Larger pictures")),
    keys=QKeySequence.StandardKey.ZoomIn,
)
SMALLER: Final = _dataset_command(
    "datasets.smaller",
    str(QT_TRANSLATE_NOOP("commands", "Smaller pictures")),
    keys=QKeySequence.StandardKey.ZoomOut,
)
FIND: Final = _dataset_command(
    "datasets.find",
    str(QT_TRANSLATE_NOOP("commands", "Search the images")),
    keys=QKeySequence.StandardKey.Find,
)
EXCLUDE: Final = _dataset_command(
    "datasets.exclude",
    str(QT_TRANSLATE_NOOP("commands", "Exclude the selected images")),
    keys=QKeySequence.StandardKey.Delete,
)
BACK: Final = Command(
    "datasets.back",
    str(QT_TRANSLATE_NOOP("commands", "Back from the images to the dataset")),
    keys=QKeySequence.StandardKey.Cancel,
    page="datasets",
    reach=Reach.FIXED,
)

DATASET_COMMANDS: Final = (
    Command(
        "datasets.import",
        str(QT_TRANSLATE_NOOP("commands", "Import a folder of images…")),
        "folder-open",
        words=str(QT_TRANSLATE_NOOP("commands", "open add new dataset data archive file")),
        page="datasets",
        intent=ImportImages(),
    ),
    Command(
        "datasets.samples",
        str(QT_TRANSLATE_NOOP("commands", "Show all sample datasets")),
        "datasets",
        words=str(QT_TRANSLATE_NOOP("commands", "demo example")),
        page="datasets",
        intent=OpenSample(),
    ),
    *(UNDO, REDO, FIND, EXCLUDE, LARGER, SMALLER, BACK),
)


_label_command = partial(Command, page="label", reach=Reach.FIXED)

RENAME_LABELING: Final = Command(
    "label.rename",
    str(QT_TRANSLATE_NOOP("commands", "Rename the labeling")),
    keys="F2",
    page="label",
    reach=Reach.PART,
)

LABEL_COMMANDS: Final = (
    Command(
        "label.new",
        str(QT_TRANSLATE_NOOP("commands", "New labeling")),
        "plus",
        words=str(QT_TRANSLATE_NOOP("commands", "annotate annotation boxes masks tag create")),
        page="label",
        intent=StartLabeling(),
    ),
    _label_command(
        "label.class",
        str(QT_TRANSLATE_NOOP("commands", "Give the picture a class")),
        keys="1; 2; 3; 4; 5; 6; 7; 8; 9",
    ),
    _label_command(
        "label.accept",
        str(QT_TRANSLATE_NOOP("commands", "Accept what is proposed, chosen or drawn")),
        keys="Return",
    ),
    _label_command(
        "label.take",
        str(QT_TRANSLATE_NOOP("commands", "Take proposed boxes or a mask over to correct them")),
        keys="A",
    ),
    _label_command(
        "label.skip",
        str(QT_TRANSLATE_NOOP("commands", "Skip the picture")),
        keys="PgDown",
    ),
    _label_command(
        "label.back",
        str(QT_TRANSLATE_NOOP("commands", "Back to the previous picture")),
        keys="PgUp",
    ),
    _label_command(
        "label.exclude",
        str(QT_TRANSLATE_NOOP("commands", "Leave the picture out")),
        keys="Ctrl+Del",
    ),
    _label_command(
        "label.undo",
        str(QT_TRANSLATE_NOOP("commands", "Undo the last label")),
        keys="Ctrl+Z",
    ),
    _label_command(
        "label.redo",
        str(QT_TRANSLATE_NOOP("commands", "Redo the last label")),
        keys="Ctrl+Shift+Z; Ctrl+Y",
    ),
    RENAME_LABELING,
)


NETWORK_COMMANDS: Final = (
    Command(
        "networks.draw",
        str(QT_TRANSLATE_NOOP("commands", "Draw a network")),
        "networks",
        words=str(QT_TRANSLATE_NOOP("commands", "new designer layers create")),
        page="networks",
        intent=DrawNetwork(),
    ),
    Command(
        "networks.open",
        str(QT_TRANSLATE_NOOP("commands", "Open a network from a file…")),
        "folder-open",
        words=str(QT_TRANSLATE_NOOP("commands", "keras json h5 model")),
        page="networks",
        intent=ChooseNetworkFile(),
    ),
    Command(
        "networks.arrows",
        str(QT_TRANSLATE_NOOP("commands", "Go from layer to layer in the drawing")),
        keys="Left; Right; Up; Down",
        page="networks",
        reach=Reach.FIXED,
    ),
)


RENAME: Final = Command(
    "train.rename",
    str(QT_TRANSLATE_NOOP("commands", "Rename the selected run")),
    keys="F2",
    page="train",
    reach=Reach.PART,
)
DELETE: Final = Command(
    "train.delete",
    str(QT_TRANSLATE_NOOP("commands", "Move the selected runs to the trash")),
    keys="Del",
    page="train",
    reach=Reach.PART,
)

TRAIN_COMMANDS: Final = (
    Command(
        "train.new",
        str(QT_TRANSLATE_NOOP("commands", "New run")),
        "plus",
        "Ctrl+N",
        words=str(QT_TRANSLATE_NOOP("commands", "train training start learn create")),
        page="train",
        intent=PlanRun(),
    ),
    Command(
        "train.all",
        str(QT_TRANSLATE_NOOP("commands", "All runs in a table")),
        "table",
        words=str(QT_TRANSLATE_NOOP("commands", "compare list columns trainings")),
        page="train",
        intent=ListRuns(),
    ),
    RENAME,
    DELETE,
    Command(
        "train.none",
        str(QT_TRANSLATE_NOOP("commands", "Select no run")),
        keys="Ctrl+D",
        page="train",
        reach=Reach.FIXED,
    ),
    Command(
        "train.others",
        str(QT_TRANSLATE_NOOP("commands", "Invert the selection of runs")),
        keys="Ctrl+I",
        page="train",
        reach=Reach.FIXED,
    ),
    Command(
        "train.open",
        str(QT_TRANSLATE_NOOP("commands", "Open the selected run")),
        keys="Return",
        page="train",
        reach=Reach.FIXED,
    ),
)


EARLIER: Final = Command(
    "sweeps.earlier",
    str(QT_TRANSLATE_NOOP("commands", "Move the selected trial up")),
    keys="Alt+Up",
    page="sweeps",
    reach=Reach.PART,
)
LATER: Final = Command(
    "sweeps.later",
    str(QT_TRANSLATE_NOOP("commands", "Move the selected trial down")),
    keys="Alt+Down",
    page="sweeps",
    reach=Reach.PART,
)

SWEEP_COMMANDS: Final = (
    Command(
        "sweeps.new",
        str(QT_TRANSLATE_NOOP("commands", "New sweep")),
        "plus",
        words=str(QT_TRANSLATE_NOOP("commands", "search settings grid optuna create trials")),
        page="sweeps",
        intent=PlanSweep(),
    ),
    EARLIER,
    LATER,
    Command(
        "sweeps.open",
        str(QT_TRANSLATE_NOOP("commands", "Open the selected trial")),
        keys="Return",
        page="sweeps",
        reach=Reach.FIXED,
    ),
)


OPEN_PICTURES: Final = Command(
    "predict.open",
    str(QT_TRANSLATE_NOOP("commands", "Choose pictures for a prediction…")),
    "folder-open",
    QKeySequence.StandardKey.Open,
    words=str(QT_TRANSLATE_NOOP("commands", "predict open image file")),
    page="predict",
    intent=ChoosePictures(),
    reach=Reach.PART,
)
PASTE_PICTURE: Final = Command(
    "predict.paste",
    str(QT_TRANSLATE_NOOP("commands", "Predict the picture in the clipboard")),
    "copy",
    QKeySequence.StandardKey.Paste,
    words=str(QT_TRANSLATE_NOOP("commands", "predict paste image")),
    page="predict",
    intent=PastePicture(),
    reach=Reach.PART,
)

PREDICT_COMMANDS: Final = (
    OPEN_PICTURES,
    PASTE_PICTURE,
    Command(
        "predict.moment",
        str(QT_TRANSLATE_NOOP("commands", "Step through the frames of a video")),
        keys="Left; Right",
        page="predict",
        reach=Reach.FIXED,
    ),
)


BENCH_COMMANDS: Final = (
    Command(
        "bench.new",
        str(QT_TRANSLATE_NOOP("commands", "New benchmark")),
        "plus",
        words=str(QT_TRANSLATE_NOOP("commands", "speed device batch size measure create")),
        page="bench",
        intent=PlanBenchmark(),
    ),
)


SHORTCUTS: Final = "shortcuts"
"""Name of the group with the list of shortcuts."""

SETTINGS_COMMANDS: Final = (
    Command(
        "settings.shortcuts",
        str(QT_TRANSLATE_NOOP("commands", "Keyboard shortcuts")),
        "keyboard",
        "Ctrl+Shift+K",
        words=str(QT_TRANSLATE_NOOP("commands", "keys hotkeys change list")),
        page="settings",
        intent=OpenSettings(SHORTCUTS),
    ),
    Command(
        "settings.defaults",
        str(QT_TRANSLATE_NOOP("commands", "Defaults of new runs")),
        "settings",
        words=str(QT_TRANSLATE_NOOP("commands", "epochs batch size device optimizer preferences")),
        page="settings",
        intent=OpenSettings("runs"),
    ),
    Command(
        "settings.caches",
        str(QT_TRANSLATE_NOOP("commands", "Caches and their size on disk")),
        "settings",
        words=str(QT_TRANSLATE_NOOP("commands", "empty clear space memory weights downloads")),
        page="settings",
        intent=OpenSettings("caches"),
    ),
)
