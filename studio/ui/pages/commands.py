"""Commands of the pages, as data: for the palette, for keys that can be changed, and for menus."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtGui import QKeySequence

from studio.ui.commands import Command, CommandScope, Keys
from studio.ui.navigation import (
    ChooseNetworkFile,
    ChoosePictures,
    DrawNetwork,
    ImportImages,
    Intent,
    ListRuns,
    OpenSample,
    OpenSettings,
    PastePicture,
    PlanBenchmark,
    PlanRun,
    PlanSweep,
    StartLabeling,
)

_Key = QKeySequence.StandardKey


def _words(text: str) -> str:
    """Mark words for translation."""
    return str(QT_TRANSLATE_NOOP("commands", text))


_WORDS: Final = {
    "datasets.import": _words("open add new dataset data archive file"),
    "datasets.samples": _words("demo example"),
    "label.new": _words("annotate annotation boxes masks tag create"),
    "networks.draw": _words("new designer layers create"),
    "networks.open": _words("keras json h5 model"),
    "train.new": _words("train training start learn create"),
    "train.all": _words("compare list columns trainings"),
    "sweeps.new": _words("search settings grid optuna create trials"),
    "predict.open": _words("predict open image file"),
    "predict.paste": _words("predict paste image"),
    "bench.new": _words("speed device batch size measure create"),
    "settings.shortcuts": _words("keys hotkeys change list"),
    "settings.defaults": _words("epochs batch size device optimizer preferences"),
    "settings.caches": _words("empty clear space memory weights downloads"),
}
"""Further words by which the palette finds commands."""


def _opens(
    name: str,
    text: str,
    icon: str,
    intent: Intent,
    keys: Keys = None,
    reach: CommandScope = CommandScope.WINDOW,
) -> Command:
    """Make a command that opens its page with an intent."""
    page, _, _ = name.partition(".")
    return Command(name, text, icon, keys, _WORDS[name], page, intent, reach)


def _part(name: str, text: str, keys: Keys) -> Command:
    """Make a command of a part of its page, with keys that can be changed."""
    return Command(name, text, keys=keys, page=name.partition(".")[0], reach=CommandScope.PART)


def _fixed(name: str, text: str, keys: Keys) -> Command:
    """Make a command of a part of its page, with keys that cannot be changed."""
    return Command(name, text, keys=keys, page=name.partition(".")[0], reach=CommandScope.FIXED)


def _draws(name: str, text: str, icon: str = "", keys: Keys = None) -> Command:
    """Make a command of the designer, with keys that can be changed."""
    return Command(f"designer.{name}", text, icon, keys, page="networks", reach=CommandScope.PART)


# By name: which of the two is "redo" differs between desktops.
UNDO: Final = _part("datasets.undo", "Undo the last change of a dataset", "Ctrl+Z")
REDO: Final = _part("datasets.redo", "Redo the last change of a dataset", "Ctrl+Shift+Z; Ctrl+Y")
LARGER: Final = _part("datasets.larger", "Larger images", _Key.ZoomIn)
SMALLER: Final = _part("datasets.smaller", "Smaller images", _Key.ZoomOut)
FIND: Final = _part("datasets.find", "Search the images", _Key.Find)
EXCLUDE: Final = _part("datasets.exclude", "Exclude the selected images", _Key.Delete)
DISPLAY: Final = _part(
    "datasets.display", "Adjust the colors and contrast of images", "Ctrl+Shift+D"
)
BACK: Final = _fixed("datasets.back", "Back from the images to the dataset", _Key.Cancel)

RENAME_LABELING: Final = _part("label.rename", "Rename the labeling", "F2")


RENAME: Final = _part("train.rename", "Rename the selected run", "F2")
DELETE: Final = _part("train.delete", "Move the selected runs to the trash", "Del")

EARLIER: Final = _part("sweeps.earlier", "Move the selected trial up", "Alt+Up")
LATER: Final = _part("sweeps.later", "Move the selected trial down", "Alt+Down")

OPEN_PICTURES: Final = _opens(
    "predict.open",
    "Choose images for a prediction…",
    "folder-open",
    ChoosePictures(),
    _Key.Open,
    CommandScope.PART,
)
PASTE_PICTURE: Final = _opens(
    "predict.paste",
    "Predict the image in the clipboard",
    "copy",
    PastePicture(),
    _Key.Paste,
    CommandScope.PART,
)

DESIGNER: Final = (
    _draws("undo", "Undo", "undo", _Key.Undo),
    _draws("redo", "Redo", "redo", _Key.Redo),
    _draws("cut", "Cut", "", _Key.Cut),
    _draws("copy", "Copy", "copy", _Key.Copy),
    _draws("paste", "Paste", "", _Key.Paste),
    _draws("duplicate", "Duplicate", "", "Ctrl+D"),
    _draws("delete", "Delete", "trash", _Key.Delete),
    _draws("select_all", "Select all", "", _Key.SelectAll),
    _draws("add", "Add a layer", "plus", "Ctrl+L"),
    _draws("find", "Find a layer", "search", _Key.Find),
    _draws("note", "Add a note", "comment"),
    _draws("freeze", "Freeze or unfreeze", "lock", "F"),
    _draws("freeze_to", "Freeze all up to here"),
    _draws("group", "Make a block", "", "Ctrl+G"),
    _draws("ungroup", "Dissolve the block"),
    _draws("expand", "Show the layers of backbones"),
    _draws("fold", "Fold all blocks", "fold"),
    _draws("unfold", "Unfold all blocks", "unfold"),
    _draws("down", "Arrange from top to bottom", "layout"),
    _draws("right", "Arrange from left to right"),
    _draws("zoom_in", "Zoom in", "zoom-in", _Key.ZoomIn),
    _draws("zoom_out", "Zoom out", "zoom-out", _Key.ZoomOut),
    _draws("zoom_one", "Actual size", "", "Ctrl+Shift+0"),
    _draws("fit", "Show all", "fit", "Ctrl+Shift+9"),
    _draws("save", "Save", "save", _Key.Save),
    _draws("save_as", "Save under another name"),
    _draws("revert", "Discard changes", "undo"),
    _draws("open", "Open a file…", "folder-open"),
    _draws("open_known", "Open a network…", "networks", _Key.Open),
    _draws("new", "New drawing", "file"),
    _draws("png", "Image (PNG)…"),
    _draws("svg", "Drawing (SVG)…"),
    _draws("json", "Network (JSON)…"),
    _draws("code", "Keras code (Python)…", "code"),
    _draws("train", "Train this", "train"),
)
"""The commands of the network designer."""


PAGE_COMMANDS: Final = {
    "datasets": (
        _opens("datasets.import", "Import a folder of images…", "folder-open", ImportImages()),
        _opens("datasets.samples", "Show all sample datasets", "datasets", OpenSample()),
        *(UNDO, REDO, FIND, EXCLUDE, LARGER, SMALLER, DISPLAY, BACK),
        _fixed(
            "datasets.accept_label", "Accept the class proposed for a doubtful label", "Return"
        ),
        _fixed("datasets.keep_label", "Keep a doubtful label", "K"),
        _fixed("datasets.other_label", "Choose another class for a doubtful label", "C"),
        _fixed("datasets.skip_label", "Skip a doubtful label", "S"),
    ),
    "label": (
        _opens("label.new", "New labeling", "plus", StartLabeling()),
        _fixed("label.class", "Give the image a class", "1; 2; 3; 4; 5; 6; 7; 8; 9"),
        _fixed("label.accept", "Accept what is proposed, chosen or drawn", "Return"),
        _fixed("label.take", "Edit proposed boxes or a proposed mask", "A"),
        _fixed("label.skip", "Skip the image", "PgDown"),
        _fixed("label.back", "Back to the previous image", "PgUp"),
        _fixed("label.exclude", "Leave the image out", "Ctrl+Del"),
        _fixed("label.undo", "Undo the last label", "Ctrl+Z"),
        _fixed("label.redo", "Redo the last label", "Ctrl+Shift+Z; Ctrl+Y"),
        RENAME_LABELING,
    ),
    "networks": (
        _opens("networks.draw", "Draw a network", "networks", DrawNetwork()),
        _opens("networks.open", "Open a network from a file…", "folder-open", ChooseNetworkFile()),
        _fixed(
            "networks.arrows", "Go from layer to layer in the drawing", "Left; Right; Up; Down"
        ),
        *DESIGNER,
    ),
    "train": (
        _opens("train.new", "New run", "plus", PlanRun(), "Ctrl+N"),
        _opens("train.all", "All runs in a table", "table", ListRuns()),
        *(RENAME, DELETE),
        _fixed("train.none", "Select no run", "Ctrl+D"),
        _fixed("train.others", "Invert the selection of runs", "Ctrl+I"),
        _fixed("train.open", "Open the selected run", "Return"),
    ),
    "sweeps": (
        _opens("sweeps.new", "New sweep", "plus", PlanSweep()),
        *(EARLIER, LATER),
        _fixed("sweeps.open", "Open the selected trial", "Return"),
    ),
    "predict": (
        *(OPEN_PICTURES, PASTE_PICTURE),
        _fixed("predict.moment", "Step through the frames of a video", "Left; Right"),
    ),
    "bench": (_opens("bench.new", "New benchmark", "plus", PlanBenchmark()),),
    "settings": (
        _opens(
            "settings.shortcuts",
            "Keyboard shortcuts",
            "keyboard",
            OpenSettings("shortcuts"),
            "Ctrl+Shift+K",
        ),
        _opens("settings.defaults", "Defaults of new runs", "settings", OpenSettings("runs")),
        _opens(
            "settings.caches", "Caches and their size on disk", "settings", OpenSettings("caches")
        ),
    ),
}
"""The commands of each page, besides opening it."""
