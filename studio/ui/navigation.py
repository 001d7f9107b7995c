"""Intents: requests to open something in the window, sent by `Navigator.open`.

The palette, the tour, notices and pages send intents; the window shows the page of an intent and
hands it over to `Page.open`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from studio.engine.workspace import RecordKind
from studio.ui.record_kinds import KINDS


@dataclass(frozen=True, slots=True)
class OpenWorkspace:
    """Open another workspace; without a folder, ask the user for one."""

    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class OpenServed:
    """Ask for the address and token of a server, and open the workspace that it serves.

    Attributes:
        url: Address that is filled in; empty for the last one.
    """

    url: str = ""


@dataclass(frozen=True, slots=True)
class OpenPage:
    """Show a page as it is; also the base of all intents that a page performs.

    Attributes:
        page: Name of the page, as in `studio.ui.pages.PAGES`.
    """

    page: str
    makes: ClassVar[RecordKind | None] = None
    """Kind of the record that the user is about to make; None for none."""


@dataclass(frozen=True, slots=True)
class OpenRecord(OpenPage):
    """Show a record on a page, or use its model there.

    Attributes:
        record: Id of the record; of networks also the name in the zoo.
    """

    record: str


@dataclass(frozen=True, slots=True)
class DropFiles(OpenPage):
    """Let a page take files and folders that were dropped on the window."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ImportImages(OpenPage):
    """Import a folder or a file of images; without a path, ask the user for one.

    Attributes:
        path: The folder or file.
        annotated: The images have boxes or masks; ask where, if they are not found.
        task: Name of the task that the images are for, if they can be used for it.
    """

    makes: ClassVar = RecordKind.DATASET
    page: str = field(default="datasets", init=False)
    path: Path | None = None
    annotated: bool = False
    task: str = ""


@dataclass(frozen=True, slots=True)
class OpenSample(OpenPage):
    """Show the dataset of a sample, and import it where needed; without a name list all."""

    makes: ClassVar = RecordKind.DATASET
    page: str = field(default="datasets", init=False)
    name: str = ""


@dataclass(frozen=True, slots=True)
class StartLabeling(OpenPage):
    """Fill in the form of a new labeling.

    Attributes:
        paths: Images, folders or videos to label.
        webcam: Show the webcam once the labeling is created.
    """

    makes: ClassVar = RecordKind.LABELING
    page: str = field(default="label", init=False)
    paths: tuple[Path, ...] = ()
    webcam: bool = False


@dataclass(frozen=True, slots=True)
class DrawNetwork(OpenPage):
    """Open a network in the designer; without a name begin an empty drawing."""

    makes: ClassVar = RecordKind.NETWORK
    page: str = field(default="networks", init=False)
    network: str = ""


@dataclass(frozen=True, slots=True)
class ChooseNetworkFile(OpenPage):
    """Ask for a file with a network and open it in the designer."""

    page: str = field(default="networks", init=False)


@dataclass(frozen=True, slots=True)
class PlanRun(OpenPage):
    """Fill in the form of a new run.

    Attributes:
        dataset: Id of the dataset to train on.
        network: Name in the zoo, or id of a saved network.
        weights: File of weights that the network starts from.
        copy_of: Id of a run whose settings are taken over.
        epochs: Number of epochs, where it is not that of the copied run.
    """

    makes: ClassVar = RecordKind.RUN
    page: str = field(default="train", init=False)
    dataset: str = ""
    network: str = ""
    weights: str = ""
    copy_of: str = ""
    epochs: int | None = None


@dataclass(frozen=True, slots=True)
class ListRuns(OpenPage):
    """Show all runs in a table."""

    page: str = field(default="train", init=False)


@dataclass(frozen=True, slots=True)
class PlanSweep(OpenPage):
    """Fill in the form of a new sweep, with the settings of the run `base` if it is named."""

    makes: ClassVar = RecordKind.SWEEP
    page: str = field(default="sweeps", init=False)
    base: str = ""


@dataclass(frozen=True, slots=True)
class PlanBenchmark(OpenPage):
    """Fill in the form of a new benchmark, of training a network if it is named.

    Attributes:
        network: Name in the zoo.
        dataset: Id of the dataset that it is trained on.
    """

    makes: ClassVar = RecordKind.BENCHMARK
    page: str = field(default="bench", init=False)
    network: str = ""
    dataset: str = ""


@dataclass(frozen=True, slots=True)
class ChoosePictures(OpenPage):
    """Ask for picture files and classify them."""

    page: str = field(default="predict", init=False)


@dataclass(frozen=True, slots=True)
class PastePicture(OpenPage):
    """Classify the picture in the clipboard."""

    page: str = field(default="predict", init=False)


@dataclass(frozen=True, slots=True)
class OpenSettings(OpenPage):
    """Scroll to a group of settings by its name, such as `shortcuts`."""

    page: str = field(default="settings", init=False)
    group: str


Intent = OpenPage | OpenWorkspace | OpenServed


def page_intent(page: str, record: str = "") -> OpenPage:
    """Return the intent to show a page, and on it a record if one is named.

    Args:
        page: Name of the page.
        record: Id of a record; empty for none.
    """
    return OpenRecord(page, record) if record else OpenPage(page)


def job_intent(kind: RecordKind, record_id: str) -> OpenRecord:
    """Return the intent to show a job on the page of its kind.

    Args:
        kind: Kind of the record.
        record_id: Id of the record.
    """
    return OpenRecord(KINDS[kind].page, record_id)
