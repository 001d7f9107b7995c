from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import Listener
from PIL import Image
from sklearn.datasets import load_digits

from studio.engine.datasets.gather import annotated, parts_of, scan_parts
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources.drawn_samples import (
    COUNT,
    KINDS,
    MASKED_COUNT,
    drawn,
    write_digit_labels,
    write_digit_numbers,
    write_digits,
    write_masked_shapes,
    write_shapes,
)
from studio.engine.errors import StudioError
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.tasks import TASKS


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_digits(tmp_path_factory.mktemp("samples"), SilentProgress())


def test_every_pixel_appears_once_scaled(digits: Path) -> None:
    table = load_digits()
    files = sorted(digits.glob("*/*.png"), key=lambda path: path.stem)
    assert len(files) == 1797
    assert [int(path.parent.name) for path in files] == table.target.tolist()
    assert files[42].relative_to(digits.parent).parts == (
        "digits",
        str(table.target[42]),
        "0042.png",
    )
    for index in range(0, 1797, 97):
        pixels = np.asarray(Image.open(files[index]))
        assert pixels.dtype == np.uint8
        assert np.array_equal(np.rint(pixels * (16 / 255)), table.images[index])
    assert max(int(np.asarray(Image.open(path)).max()) for path in files[:20]) == 255


def test_a_whole_folder_is_used_again(digits: Path) -> None:
    before = (digits / "0" / "0000.png").stat().st_mtime_ns
    assert write_digits(digits.parent, SilentProgress()) == digits
    assert (digits / "0" / "0000.png").stat().st_mtime_ns == before


def test_cancelled_writing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        write_digits(tmp_path, Listener(cancel_after=5))
    assert list(tmp_path.iterdir()) == []


def test_another_folder_of_that_name_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "digits").mkdir()
    (tmp_path / "digits" / "mine.txt").write_text("mine")
    with pytest.raises(StudioError, match="0 of the 1797"):
        write_digits(tmp_path, SilentProgress())
    assert (tmp_path / "digits" / "mine.txt").read_text() == "mine"


def test_shapes_are_the_same_every_time_and_differ(tmp_path: Path) -> None:
    one = write_shapes(tmp_path / "one", SilentProgress())
    two = write_shapes(tmp_path / "two", SilentProgress())
    files = sorted(path.relative_to(one) for path in one.rglob("*.png"))
    assert len(files) == 900
    contents = [(one / path).read_bytes() for path in files]
    assert contents == [(two / path).read_bytes() for path in files]
    assert len(set(contents)) == 900
    assert sorted(path.name for path in one.iterdir()) == sorted(KINDS)
    with pytest.raises(Cancelled):
        write_shapes(tmp_path / "three", Listener(cancel_after=5))
    assert list((tmp_path / "three").iterdir()) == []


def test_masked_shapes_have_the_class_of_each_pixel(tmp_path: Path) -> None:
    one = write_masked_shapes(tmp_path / "one", SilentProgress())
    two = write_masked_shapes(tmp_path / "two", SilentProgress())
    assert write_masked_shapes(tmp_path / "one", SilentProgress()) == one
    files = sorted(path.relative_to(one) for path in one.rglob("*.png"))
    assert len(files) == 2 * MASKED_COUNT
    assert all((one / path).read_bytes() == (two / path).read_bytes() for path in files)
    assert (one / "classes.txt").read_text().split() == ["background", *KINDS]
    seen = set()
    for index in range(0, MASKED_COUNT, 9):
        mask = np.asarray(Image.open(one / "masks" / f"{index:04}.png"))
        image = np.asarray(Image.open(one / "images" / f"{index:04}.png")).astype(int)
        ground = np.median(image[mask == 0], axis=0)
        # A pixel of the ground has its color, unless a border runs through it.
        unlike = np.abs(image - ground).max(axis=2) > 0
        assert unlike[mask > 0].all()
        assert unlike[mask == 0].mean() < 0.1
        seen |= set(np.unique(mask).tolist())
    assert seen == set(range(7))


def _triples(table: Path) -> tuple[list[str], list[list[str]]]:
    with table.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def test_three_digits_have_labels_and_numbers(tmp_path: Path) -> None:
    labels = write_digit_labels(tmp_path, SilentProgress())
    numbers = write_digit_numbers(tmp_path, SilentProgress())
    header, rows = _triples(labels)
    other_header, other_rows = _triples(numbers)

    assert header == ["path", "digits", "split"]
    assert other_header == ["path", "ink [%]", "sum", "split"]
    assert len(rows) == len(other_rows) == COUNT
    known = load_digits()
    pixels = np.rint(known.images * (255 / 16)).astype(np.uint8)
    numbered = {image.tobytes(): index for index, image in enumerate(pixels)}
    used: dict[str, set[int]] = defaultdict(set)
    for row, other in zip(rows, other_rows, strict=True):
        (name, digits, split), (other_name, ink, total, other_split) = row, other
        assert (name, split) == (other_name, other_split)
        image = np.asarray(Image.open(labels.parent / name))
        assert (labels.parent / name).read_bytes() == (numbers.parent / name).read_bytes()
        three = [numbered[np.ascontiguousarray(each).tobytes()] for each in np.split(image, 3, 1)]
        shown = known.target[three].tolist()
        assert digits == ";".join(map(str, sorted(set(shown))))
        assert int(total) == sum(shown)
        assert float(ink) == pytest.approx(100 * image.mean() / 255, abs=0.001)
        used[split].update(three)
    assert used.keys() == {"train", "val", "test"}
    # A picture for measuring shows no digit that was learned from.
    assert sum(map(len, used.values())) == len(set.union(*used.values()))


def test_three_digits_are_the_same_every_time(tmp_path: Path) -> None:
    one = write_digit_labels(tmp_path / "one", SilentProgress())
    two = write_digit_labels(tmp_path / "two", SilentProgress())
    assert one.read_bytes() == two.read_bytes()
    assert write_digit_labels(tmp_path / "one", SilentProgress()) == one
    with pytest.raises(Cancelled):
        write_digit_numbers(tmp_path / "three", Listener(cancel_after=5))
    assert list((tmp_path / "three").iterdir()) == []


def test_there_is_a_sample_for_every_task(tmp_path: Path) -> None:
    for task in TASKS.values():
        sample = SAMPLES[task.sample]
        recipe = sample.recipe(sample.write(tmp_path, SilentProgress()))
        assert recipe.task == task.name
        parts = parts_of(recipe)
        scan = scan_parts(parts, recipe, SilentProgress())
        targets = annotated(parts, scan, recipe)
        assert not scan.problems
        names = targets.names
        assert len(names) >= 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_has_an_area_of_its_color(kind: str) -> None:
    chance = random.Random(1)
    for _ in range(20):
        colors = drawn(kind, chance).getcolors(64 * 64)
        assert colors is not None
        ground, color = sorted(colors, reverse=True)[:2]
        assert ground[0] > 64 * 64 * 0.5
        assert color[0] > 60


def test_recipes_of_samples_are_complete() -> None:
    for sample in SAMPLES:
        recipe = sample.recipe(Path("somewhere"))
        assert Path(recipe.source).is_absolute()
        assert sample.label
        assert sample.description
    digits_recipe = SAMPLES["digits"].recipe(Path("x"))
    assert (digits_recipe.width, digits_recipe.color) == (28, "gray")


def test_what_the_window_imports_at_start_is_light() -> None:
    code = (
        "import sys, studio.engine.datasets, studio.engine.datasets.recipe, "
        "studio.engine.datasets.samples, studio.engine.datasets.summary, "
        "studio.engine.datasets.sources\n"
        "heavy = {'numpy', 'h5py', 'PIL', 'sklearn', 'keras'} & set(sys.modules)\n"
        "print(*sorted(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("\n", "")
    assert done.returncode == 0
