"""Commands of the pages, as data: for the palette, for keys that can be changed, and for menus."""

from __future__ import annotations

from functools import partial
from typing import Final

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
    "Undo the last change of a dataset",
    # By name: which of the two is "redo" differs between desktops.
    keys="Ctrl+Z",
)
REDO: Final = _dataset_command(
    "datasets.redo", "Redo the last change of a dataset", keys="Ctrl+Shift+Z; Ctrl+Y"
)
LARGER: Final = _dataset_command(
    "datasets.larger", "Larger pictures", keys=QKeySequence.StandardKey.ZoomIn
)
SMALLER: Final = _dataset_command(
    "datasets.smaller", "Smaller pictures", keys=QKeySequence.StandardKey.ZoomOut
)
FIND: Final = _dataset_command(
    "datasets.find", "Search the images", keys=QKeySequence.StandardKey.Find
)
EXCLUDE: Final = _dataset_command(
    "datasets.exclude", "Exclude the selected images", keys=QKeySequence.StandardKey.Delete
)
BACK: Final = Command(
    "datasets.back",
    "Back from the images to the dataset",
    keys=QKeySequence.StandardKey.Cancel,
    page="datasets",
    reach=Reach.FIXED,
)

DATASET_COMMANDS: Final = (
    Command(
        "datasets.import",
        "Import a folder of images…",
        "folder-open",
        words="open add new dataset data archive file",
        page="datasets",
        intent=ImportImages(),
    ),
    Command(
        "datasets.samples",
        "Show all sample datasets",
        "datasets",
        words="demo example",
        page="datasets",
        intent=OpenSample(),
    ),
    *(UNDO, REDO, FIND, EXCLUDE, LARGER, SMALLER, BACK),
)


_label_command = partial(Command, page="label", reach=Reach.FIXED)

RENAME_LABELING: Final = Command(
    "label.rename", "Rename the labeling", keys="F2", page="label", reach=Reach.PART
)

LABEL_COMMANDS: Final = (
    Command(
        "label.new",
        "New labeling",
        "plus",
        words="annotate annotation boxes masks tag create",
        page="label",
        intent=StartLabeling(),
    ),
    _label_command("label.class", "Give the picture a class", keys="1; 2; 3; 4; 5; 6; 7; 8; 9"),
    _label_command("label.accept", "Accept what is proposed, chosen or drawn", keys="Return"),
    _label_command("label.take", "Edit proposed boxes or a proposed mask", keys="A"),
    _label_command("label.skip", "Skip the picture", keys="PgDown"),
    _label_command("label.back", "Back to the previous picture", keys="PgUp"),
    _label_command("label.exclude", "Leave the picture out", keys="Ctrl+Del"),
    _label_command("label.undo", "Undo the last label", keys="Ctrl+Z"),
    _label_command("label.redo", "Redo the last label", keys="Ctrl+Shift+Z; Ctrl+Y"),
    RENAME_LABELING,
)


NETWORK_COMMANDS: Final = (
    Command(
        "networks.draw",
        "Draw a network",
        "networks",
        words="new designer layers create",
        page="networks",
        intent=DrawNetwork(),
    ),
    Command(
        "networks.open",
        "Open a network from a file…",
        "folder-open",
        words="keras json h5 model",
        page="networks",
        intent=ChooseNetworkFile(),
    ),
    Command(
        "networks.arrows",
        "Go from layer to layer in the drawing",
        keys="Left; Right; Up; Down",
        page="networks",
        reach=Reach.FIXED,
    ),
)


RENAME: Final = Command(
    "train.rename", "Rename the selected run", keys="F2", page="train", reach=Reach.PART
)
DELETE: Final = Command(
    "train.delete",
    "Move the selected runs to the trash",
    keys="Del",
    page="train",
    reach=Reach.PART,
)

TRAIN_COMMANDS: Final = (
    Command(
        "train.new",
        "New run",
        "plus",
        "Ctrl+N",
        words="train training start learn create",
        page="train",
        intent=PlanRun(),
    ),
    Command(
        "train.all",
        "All runs in a table",
        "table",
        words="compare list columns trainings",
        page="train",
        intent=ListRuns(),
    ),
    RENAME,
    DELETE,
    Command("train.none", "Select no run", keys="Ctrl+D", page="train", reach=Reach.FIXED),
    Command(
        "train.others",
        "Invert the selection of runs",
        keys="Ctrl+I",
        page="train",
        reach=Reach.FIXED,
    ),
    Command("train.open", "Open the selected run", keys="Return", page="train", reach=Reach.FIXED),
)


EARLIER: Final = Command(
    "sweeps.earlier", "Move the selected trial up", keys="Alt+Up", page="sweeps", reach=Reach.PART
)
LATER: Final = Command(
    "sweeps.later",
    "Move the selected trial down",
    keys="Alt+Down",
    page="sweeps",
    reach=Reach.PART,
)

SWEEP_COMMANDS: Final = (
    Command(
        "sweeps.new",
        "New sweep",
        "plus",
        words="search settings grid optuna create trials",
        page="sweeps",
        intent=PlanSweep(),
    ),
    EARLIER,
    LATER,
    Command(
        "sweeps.open", "Open the selected trial", keys="Return", page="sweeps", reach=Reach.FIXED
    ),
)


OPEN_PICTURES: Final = Command(
    "predict.open",
    "Choose pictures for a prediction…",
    "folder-open",
    QKeySequence.StandardKey.Open,
    words="predict open image file",
    page="predict",
    intent=ChoosePictures(),
    reach=Reach.PART,
)
PASTE_PICTURE: Final = Command(
    "predict.paste",
    "Predict the picture in the clipboard",
    "copy",
    QKeySequence.StandardKey.Paste,
    words="predict paste image",
    page="predict",
    intent=PastePicture(),
    reach=Reach.PART,
)

PREDICT_COMMANDS: Final = (
    OPEN_PICTURES,
    PASTE_PICTURE,
    Command(
        "predict.moment",
        "Step through the frames of a video",
        keys="Left; Right",
        page="predict",
        reach=Reach.FIXED,
    ),
)


BENCH_COMMANDS: Final = (
    Command(
        "bench.new",
        "New benchmark",
        "plus",
        words="speed device batch size measure create",
        page="bench",
        intent=PlanBenchmark(),
    ),
)


SHORTCUTS: Final = "shortcuts"
"""Name of the group with the list of shortcuts."""

SETTINGS_COMMANDS: Final = (
    Command(
        "settings.shortcuts",
        "Keyboard shortcuts",
        "keyboard",
        "Ctrl+Shift+K",
        words="keys hotkeys change list",
        page="settings",
        intent=OpenSettings(SHORTCUTS),
    ),
    Command(
        "settings.defaults",
        "Defaults of new runs",
        "settings",
        words="epochs batch size device optimizer preferences",
        page="settings",
        intent=OpenSettings("runs"),
    ),
    Command(
        "settings.caches",
        "Caches and their size on disk",
        "settings",
        words="empty clear space memory weights downloads",
        page="settings",
        intent=OpenSettings("caches"),
    ),
)
