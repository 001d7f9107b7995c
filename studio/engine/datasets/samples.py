"""Sample datasets that can be had without looking for images first.

Never imports NumPy or Pillow: the window lists the samples when it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import (
    drawn_cells,
    drawn_samples,
    drawn_textures,
    drawn_touching,
)
from studio.engine.datasets.sources.mnist import NAMES_FILE
from studio.engine.errors import StudioError
from studio.engine.files import disk_full_is_clear, write_atomically
from studio.engine.messages import as_message, message
from studio.engine.plug_ins import Kind
from studio.engine.progress import Progress
from studio.engine.registry import Registry
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task
from studio.engine.web.transfer import (
    TransferError,
    is_whole,
    transfer,
)


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One published file.

    Attributes:
        name: Its name, there and here.
        size: Its bytes.
        md5: Its published checksum, against damage; the addresses are trusted.
    """

    name: str
    size: int
    md5: str


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """Files of one data set, and where they are published. Calling it downloads them.

    Attributes:
        name: The folder's name.
        label: Name as shown to a person.
        bases: Addresses that the names are put behind; the next is tried when one fails.
        files: Files to download.
        class_names: Written beside the files, where they hold numbers only.
    """

    name: str
    label: str
    bases: tuple[str, ...]
    files: tuple[RemoteFile, ...]
    class_names: tuple[str, ...] = ()

    def __call__(self, folder: Path, progress: Progress) -> Path:
        """Have all files in a folder below `folder`, and return it.

        Files that are there and whole are not downloaded again; broken off ones are continued.

        Raises:
            StudioError: There is no network, or what comes is not what was published.
            DiskFullError: No space was left.
            Cancelled: Through `progress`; what came so far stays for the next time.
        """
        # The window lists the samples at start, and this brings in the whole of HTTP.
        target = folder / self.name
        total, before = sum(file.size for file in self.files), 0
        with disk_full_is_clear(target):
            target.mkdir(parents=True, exist_ok=True)
            for file in self.files:
                progress.check()
                if not is_whole(target / file.name, file.md5):
                    addresses = [base + file.name for base in self.bases]
                    try:
                        transfer(
                            addresses,
                            target / file.name,
                            file.md5,
                            _Part(
                                progress,
                                before,
                                total,
                                message("Downloading {dataset}", dataset=self.label),
                            ),
                        )
                    except TransferError as error:
                        raise self._failed(file, target, str(error)) from error
                before += file.size
            if self.class_names:
                write_atomically(target / NAMES_FILE, "\n".join(self.class_names) + "\n")
        return target

    def _failed(self, file: RemoteFile, target: Path, reason: str) -> StudioError:
        return StudioError(
            "{dataset} cannot be downloaded: {reason}.",
            message(
                "Check the network and try again; the download resumes. Or get {file} elsewhere, "
                "put it into {folder} and import that folder.",
                file=file.name,
                folder=target,
            ),
            "source",
            dataset=self.label,
            reason=as_message(reason),
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """Reports the progress of one file as a part of all."""

    progress: Progress
    before: int
    total: int
    what: str

    def advance(self, done: int, _total: int) -> None:
        self.progress.advance(min(self.before + done, self.total), self.total, self.what)

    def check(self) -> None:
        self.progress.check()


# Checksums and sizes as Keras and torchvision have them.
MNIST = PublishedFiles(
    "mnist",
    "MNIST",
    (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    (
        RemoteFile("train-images-idx3-ubyte.gz", 9_912_422, "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        RemoteFile("train-labels-idx1-ubyte.gz", 28_881, "d53e105ee54ea40749a09fcbcd1e9432"),
        RemoteFile("t10k-images-idx3-ubyte.gz", 1_648_877, "9fb629c4189551a2d022fa330f9573f3"),
        RemoteFile("t10k-labels-idx1-ubyte.gz", 4_542, "ec29112dd5afa0611ce80d1b7f02629c"),
    ),
)
FASHION_MNIST = PublishedFiles(
    "fashion_mnist",
    "Fashion-MNIST",
    (
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    ),
    (
        RemoteFile("train-images-idx3-ubyte.gz", 26_421_880, "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        RemoteFile("train-labels-idx1-ubyte.gz", 29_515, "25c81989df183df01b3e8a0aad5dffbe"),
        RemoteFile("t10k-images-idx3-ubyte.gz", 4_422_102, "bef4ecab320f06d8554ea6380940ec79"),
        RemoteFile("t10k-labels-idx1-ubyte.gz", 5_148, "bb300cfdad3c16e7a12a480ee83cd310"),
    ),
    (
        *("T-shirt or top", "Trouser", "Pullover", "Dress", "Coat"),
        *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
    ),
)
_KRIZHEVSKY = ("https://www.cs.toronto.edu/~kriz/", "https://cave.cs.toronto.edu/kriz/")
CIFAR10 = PublishedFiles(
    "cifar10",
    "CIFAR-10",
    _KRIZHEVSKY,
    (RemoteFile("cifar-10-python.tar.gz", 170_498_071, "c58f30108f718f92721af3b95e74349a"),),
)
CIFAR100 = PublishedFiles(
    "cifar100",
    "CIFAR-100",
    _KRIZHEVSKY,
    (RemoteFile("cifar-100-python.tar.gz", 169_001_437, "eb9058c3a382ffc7106e4002c42a8d85"),),
)


@dataclass(frozen=True, slots=True)
class SampleDataset:
    """A set of images that Studio can generate or download.

    Attributes:
        name: Stable name, as on the command line.
        label: Name as shown to a person.
        description: One sentence.
        write: Writes the images to a folder with the sample's name, and returns the path to
            import: the folder, or a table in it.
        suggested: Values of the recipe that suit it.
        download: Size of the first download in bytes; 0 if there is none.
        sibling: Name of the sample of the same task that the task names; empty for this one.
    """

    name: str
    label: str
    description: str
    write: Callable[[Path, Progress], Path]
    suggested: tuple[tuple[str, object], ...] = ()
    download: int = 0
    sibling: str = ""

    @property
    def task(self) -> Task:
        """The task that names this sample or its sibling, or else the default one."""
        named = self.sibling or self.name
        return next((each for each in TASKS.values() if each.sample == named), DEFAULT_TASK)

    def recipe(self, source: Path) -> DatasetRecipe:
        """Return the recipe that imports what `write` returned."""
        fields = {"source": str(source.absolute()), "task": self.task.name}
        return DatasetRecipe.parse(fields | dict(self.suggested))


def _size(published: PublishedFiles) -> int:
    return sum(file.size for file in published.files)


_THREE = (("width", 84), ("height", 28), ("color", "gray"))
_GRAY_28 = (("width", 28), ("height", 28), ("color", "gray"), ("val_percent", 10.0))

SAMPLES: Registry[SampleDataset] = Registry(
    "sample",
    [
        SampleDataset(
            name="digits",
            label="Handwritten digits",
            description="1,797 real handwritten digits, 0 to 9, from scikit-learn.",
            write=drawn_samples.write_digits,
            suggested=(
                ("width", 28),
                ("height", 28),
                ("color", "gray"),
                ("val_percent", 20.0),
                ("test_percent", 10.0),
            ),
        ),
        SampleDataset(
            name="digits_multi_label",
            label="Handwritten digits: several labels",
            description="3,000 images of three real digits each; their labels are the digits "
            "that occur.",
            write=drawn_samples.write_digit_labels,
            suggested=_THREE,
        ),
        SampleDataset(
            name="digits_regression",
            label="Handwritten digits: numbers",
            description="3,000 images of three real digits each, with the amount of ink and the "
            "sum of the digits.",
            write=drawn_samples.write_digit_numbers,
            suggested=_THREE,
        ),
        SampleDataset(
            name="shapes",
            label="Drawn shapes",
            description="900 drawn circles, squares, stars and other shapes, for a quick try.",
            write=drawn_samples.write_shapes,
            suggested=(("width", 64), ("height", 64), ("color", "rgb")),
        ),
        SampleDataset(
            name="shapes_segmentation",
            label="Drawn shapes: masks",
            description="900 images of one to three drawn shapes with the class of each pixel.",
            write=drawn_samples.write_masked_shapes,
            suggested=(("width", 64), ("height", 64), ("color", "rgb")),
        ),
        SampleDataset(
            name="shapes_detection",
            label="Drawn shapes: boxes",
            description="600 images of up to six drawn shapes on textured backgrounds, with a box "
            "around each.",
            write=drawn_samples.write_boxed_shapes,
            suggested=(("width", 128), ("height", 128), ("color", "rgb")),
        ),
        SampleDataset(
            name="touching_cells",
            label="Drawn cells: instances",
            description="192 images of drawn cells that touch, round and long ones, on 24 slides, "
            "with an outline of each.",
            write=drawn_touching.write_touching_cells,
            suggested=(("width", 128), ("height", 128), ("color", "rgb")),
        ),
        SampleDataset(
            name="textures",
            label="Metal plates",
            description="200 drawn plates of brushed metal: good ones, and 40 with a scratch or a "
            "spot for the test.",
            write=drawn_textures.write_textures,
            suggested=(("width", 128), ("height", 128), ("color", "gray"), ("val_percent", 20.0)),
        ),
        SampleDataset(
            name="microscopy",
            label="Drawn cells: microscopy",
            description="240 images of drawn cells as from a fluorescence microscope, in three "
            "channels of 12 bits, with masks.",
            write=drawn_cells.write_cells,
            suggested=(("width", 96), ("height", 96), ("color", "all")),
            sibling="shapes_segmentation",
        ),
        SampleDataset(
            name="mnist",
            label="MNIST",
            description="70,000 handwritten digits of 28x28; 12 MB are downloaded.",
            write=MNIST,
            suggested=_GRAY_28,
            download=_size(MNIST),
        ),
        SampleDataset(
            name="fashion_mnist",
            label="Fashion-MNIST",
            description="70,000 small images of clothes; 31 MB are downloaded.",
            write=FASHION_MNIST,
            suggested=_GRAY_28,
            download=_size(FASHION_MNIST),
        ),
        SampleDataset(
            name="cifar10",
            label="CIFAR-10",
            description="60,000 small photographs of 10 things; 170 MB are downloaded.",
            write=CIFAR10,
            suggested=(("width", 32), ("height", 32), ("color", "rgb"), ("val_percent", 10.0)),
            download=_size(CIFAR10),
        ),
        SampleDataset(
            name="cifar100",
            label="CIFAR-100",
            description="60,000 small photographs of 100 things; 169 MB are downloaded.",
            write=CIFAR100,
            suggested=(("width", 32), ("height", 32), ("color", "rgb"), ("val_percent", 10.0)),
            download=_size(CIFAR100),
        ),
    ],
    Kind("studio.samples", "sample", ("label", "description", "write")),
)
