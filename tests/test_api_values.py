"""Images and labels of Python programs become datasets, and datasets become arrays again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from PIL import Image

import studio
from studio.api import Workspace
from studio.engine.errors import StudioError

CLASSES = ["bright", "dark"]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with studio.open(tmp_path_factory.mktemp("values") / "workspace", progress=False) as opened:
        yield opened


def _images(count: int = 20) -> NDArray[np.uint8]:
    images: NDArray[np.uint8] = np.random.default_rng(0).integers(
        0, 100, (count, 12, 10, 3), np.uint8
    )
    images[::2] += 150
    return images


def test_arrays_come_back_as_they_were(workspace: Workspace) -> None:
    images, labels = _images(), np.arange(20) % 2
    split = ["train"] * 12 + ["val"] * 4 + ["test"] * 4
    dataset = workspace.datasets.from_arrays(
        images, labels, classes=CLASSES, split=split, width=10, height=12, name="pixels"
    )

    assert dataset.classes == CLASSES
    assert dataset.count == {"train": 12, "val": 4, "test": 4}
    assert len(dataset) == 20
    pixels, numbers = dataset["train"].to_numpy()
    order = np.lexsort(pixels.reshape(12, -1).T[::-1])
    expected = np.lexsort(images[:12].reshape(12, -1).T[::-1])
    assert np.array_equal(pixels[order], images[:12][expected])
    assert np.array_equal(numbers[order], labels[:12][expected])
    one, label = dataset["validation"][0]
    assert one.shape == (12, 10, 3)
    assert next(each[1] for each in dataset["val"]) == label
    assert list(dataset) == ["train", "val", "test"]
    with pytest.raises(StudioError, match='no split "trian"'):
        dataset["trian"]


@pytest.mark.parametrize(
    ("labels", "task", "names"),
    [
        (["cat", "dog"] * 10, "classification", ["cat", "dog"]),
        ([["red"], ["red", "big"]] * 10, "multi_label", ["big", "red"]),
        ([0.5, 1.25] * 10, "regression", ["value"]),
        (
            [{"width": 1, "height": 2.5}, {"width": 3, "height": 4}] * 10,
            "regression",
            ["width", "height"],
        ),
        (np.array([[1, 0], [1, 1]] * 10), "multi_label", CLASSES),
        (np.array([[0.5, 2], [1, 3.5]] * 10), "regression", ["value 1", "value 2"]),
    ],
)
def test_labels_decide_the_task(
    workspace: Workspace, labels: Any, task: str, names: list[str]
) -> None:
    classes = CLASSES if names == CLASSES else ()
    dataset = workspace.datasets.from_arrays(_images(), labels, classes=classes, width=8, height=8)
    assert (dataset.task, sorted(dataset.classes)) == (task, sorted(names))
    assert len(dataset) == 20


def test_whole_numbers_of_a_named_task_are_quantities(workspace: Workspace) -> None:
    values = np.array([[0, 1], [3, 4]] * 10)
    dataset = workspace.datasets.from_arrays(
        _images(), values, task="regression", width=8, height=8, name="counts"
    )
    assert (dataset.task, dataset.classes) == ("regression", ["value 1", "value 2"])
    with pytest.raises(StudioError, match="before the call returns"):
        workspace.datasets.from_arrays(_images(), values, wait=False)  # type: ignore[call-arg]  # that is what is tested


def test_masks_of_arrays(workspace: Workspace) -> None:
    images = _images()
    masks = (images[..., 0] > 60).astype(np.int64)
    dataset = workspace.datasets.from_arrays(
        images, masks, classes=["low", "high"], width=10, height=12, name="masks"
    )
    assert (dataset.task, dataset.classes) == ("segmentation", ["low", "high"])
    pixels, found = dataset["train"].to_numpy()
    assert np.array_equal(found, pixels[..., 0] > 60)


def test_rows_of_a_data_frame(workspace: Workspace, tmp_path: Path) -> None:
    paths = []
    for number, image in enumerate(_images(12)):
        paths.append(tmp_path / f"{number}.png")
        Image.fromarray(image).save(paths[-1])
    table = pd.DataFrame(
        {
            "file": [str(path) for path in paths],
            "kind": ["a", "b"] * 6,
            "mass": np.arange(12) / 4,
            "split": ["train"] * 8 + ["val", pd.NA, "test", "test"],
        }
    )
    dataset = workspace.datasets.from_dataframe(table, image="file", label="kind", name="frame")
    assert (dataset.task, dataset.classes) == ("classification", ["a", "b"])
    assert dataset.count["test"] == 2
    masses = workspace.datasets.from_dataframe(table, image="file", label=["mass"], name="masses")
    assert (masses.task, masses.classes) == ("regression", ["mass"])
    back = dataset.to_pandas()
    assert sorted(back["label"]) == sorted(table["kind"])
    with pytest.raises(StudioError, match='no column "label"'):
        workspace.datasets.from_dataframe(table, image="file")


class _Torch:
    """Looks like a dataset of PyTorch: a length and an index, no iterator."""

    classes = ("x", "y")

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> tuple[Image.Image, int]:
        return Image.fromarray(_images(12)[index]), index % 2


class _Feature:
    names = ("no", "yes")


class _HuggingFace:
    """Looks like a dataset of Hugging Face: mappings, and features with names."""

    features: ClassVar = {"image": None, "label": _Feature()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return ({"image": image, "label": n % 2} for n, image in enumerate(_images(12)))


def test_collections_of_other_libraries(workspace: Workspace) -> None:
    import tensorflow as tf

    from_torch = workspace.datasets.from_examples(_Torch(), name="torch")
    assert (from_torch.classes, len(from_torch)) == (["x", "y"], 12)
    parts = {"train": _HuggingFace(), "test": _HuggingFace()}
    hugging = workspace.datasets.from_examples(parts, name="hugging")
    assert hugging.classes == ["no", "yes"]
    assert hugging.count["test"] == 12
    batches = tf.data.Dataset.from_tensor_slices((_images(12), np.arange(12) % 2)).batch(5)
    dataset = workspace.datasets.from_examples(batches, classes=CLASSES, name="tensors")
    assert (dataset.classes, len(dataset)) == (CLASSES, 12)
    again = next(iter(dataset["train"].to_tf(4)))
    assert again[0].shape == (4, *dataset["train"][0][0].shape)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "There are no examples"),
        (5, "received int"),
        ([1, 2], "Example 0 is not a pair"),
        ([{"a": 1, "b": 2}], "their keys are a, b"),
        ({"training": [], "prüfung": []}, "is not a split"),
        ([(np.zeros((4, 4)), "a"), (np.zeros((4, 4)), 1.5)], "label of example 1"),
        ([(np.zeros((4, 4), np.uint8), object())], "received object"),
        ([(np.zeros((4, 4), np.uint8), np.full((4, 4), 300))], "from 0 to 255"),
        ([("[[131, 2]]", "a")], "No such file"),
    ],
)
def test_what_is_no_example_is_refused(workspace: Workspace, data: object, reason: str) -> None:
    with pytest.raises(StudioError, match=reason):
        workspace.datasets.from_examples(data)
