"""Pictures and masks are matched by their names, in every usual layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageOps

from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotationOptions, MaskAnnotations
from studio.engine.tasks.segmentation.formats.mask_folders import MaskFolders

SILENT = SilentProgress()
TURNS = (
    Image.Transpose.FLIP_LEFT_RIGHT,
    Image.Transpose.ROTATE_180,
    Image.Transpose.FLIP_TOP_BOTTOM,
    Image.Transpose.TRANSPOSE,
    Image.Transpose.ROTATE_270,
    Image.Transpose.TRANSVERSE,
    Image.Transpose.ROTATE_90,
)
"""Transpositions of EXIF orientations from 2 on."""
FORM = MaskFolders()


def png(*values: int) -> bytes:
    buffer = BytesIO()
    Image.fromarray(np.array([values], np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


@dataclass
class Files:
    """Files in memory."""

    content: Mapping[str, bytes]
    location: str = "the folder"

    @property
    def paths(self) -> Sequence[str]:
        return list(self.content)

    @property
    def pictures(self) -> Sequence[str]:
        return [path for path in self.content if path.endswith((".png", ".jpg", ".gif"))]

    def __contains__(self, path: object) -> bool:
        return path in self.content

    def head(self, path: str) -> bytes:
        return self.content[path][: 2**16]

    def read(self, path: str) -> bytes:
        return self.content[path]


def together(*paths: str, **content: bytes) -> AnnotatedFiles:
    files = Files({path: png(0, 1, 2) for path in paths} | content)
    return AnnotatedFiles(files, files)


def apart(images: Sequence[str], labels: Sequence[str]) -> AnnotatedFiles:
    both = [Files({path: png(0, 1, 2) for path in paths}) for paths in (images, labels)]
    return AnnotatedFiles(*both)


def read(files: AnnotatedFiles, **options: object) -> MaskAnnotations:
    found = FORM.read(files, AnnotationOptions(**options), SILENT)  # type: ignore[arg-type]  # of tests
    assert isinstance(found, MaskAnnotations)
    return found


def pairs(files: AnnotatedFiles) -> dict[str, str]:
    return {each.path: each.annotation for each in read(files).pictures}


@pytest.mark.parametrize(
    ("image", "mask"),
    [
        ("images/a.jpg", "masks/a.png"),
        ("image/a.jpg", "label/a.png"),
        ("images/train/x/a.jpg", "labels/train/x/a.png"),
        ("train/images/a.jpg", "train/annotations/a.png"),
        ("data/train/a.jpg", "data/train_masks/a_mask.gif"),
        ("train/0001TP.png", "train_labels/0001TP_L.png"),
        ("JPEGImages/a.jpg", "SegmentationClass/a.png"),
        ("a.jpg", "a_mask.png"),
        ("sub/a.b.jpg", "sub/a.b-label.png"),
        ("Ünï/images/ü 1.jpg", "Ünï/Ground_Truth/ü 1.png"),
        ("images/photo_x.jpg", "masks/photo_x.png"),
        ("images/1_img.png", "masks/1_mask.png"),
        ("images/scan-gt.png", "masks/scan-gt.png"),
        ("a.png", "a_cp_masks.png"),
        ("imagens/a.png", "máscaras/a.png"),
        ("imágenes/a.png", "mascaras/a_mascara.png"),
        ("Bilder/a.png", "Masken/a.png"),
    ],
)
def test_layouts_in_one_folder(image: str, mask: str) -> None:
    files = together(image, mask)
    assert FORM.accepts(files)
    assert pairs(files) == {image: mask}


@pytest.mark.parametrize(
    ("images", "masks"),
    [
        (["{}.jpg"], ["{}.jpg.png"]),
        (["{}.jpg"], ["mask_{}.png"]),
        (["{}.jpg"], ["gt_{}.png"]),
        (["img_00{}.jpg"], ["img_00{}_segmentation.png"]),
        (["{}.jpg"], ["{}_label.png"]),
        (["image{}.jpg"], ["mask{}.png"]),
        (["{}.png"], ["00{}.png"]),
        (["img_{}.jpg"], ["img_00{}.jpg"]),
        (["a{}-x.jpg"], ["b{}-yz.png"]),
        (["scan {} left.jpg"], ["region-0{}.png"]),
        (["a{}.jpg", "a{}.png"], ["a{}.jpg.png", "a{}.png.png"]),
        (["e\u0301{}.jpg"], ["\u00e9{}.png"]),
    ],
    ids=str,
)
def test_names_are_paired_by_rules_over_all_of_them(images: list[str], masks: list[str]) -> None:
    wanted = {
        f"images/{image.format(number)}": f"masks/{mask.format(number)}"
        for number in range(1, 8)
        for image, mask in zip(images, masks, strict=True)
    }
    files = together(*wanted, *wanted.values())
    assert FORM.accepts(files)
    found = read(files)
    assert {each.path: each.annotation for each in found.pictures} == wanted
    assert not found.problems
    is_unusual = images[0][0] in "as" and len(images) == 1
    assert any("paired by" in text for text in found.warnings) >= is_unusual


def test_numbers_that_are_ambiguous_pair_nothing() -> None:
    paths = ["images/a1.png", "images/b1.png", "masks/c1.png", "masks/d1.png"]
    with pytest.raises(StudioError, match=r"for images/a1\.png, masks called a1\.png, a1_mask"):
        read(together(*paths))


def test_masks_of_another_size_are_refused_with_both_sizes() -> None:
    files = Files({"images/a.png": png(0, 1, 2, 3), "masks/a.png": png(0, 1)})
    with pytest.raises(StudioError, match=r"masks/a\.png has 2x1 .* images/a\.png has 4x1"):
        read(AnnotatedFiles(files, files))


def turned(orientation: int, height: int = 4) -> bytes:
    buffer, exif = BytesIO(), Image.Exif()
    exif[0x0112] = orientation
    Image.new("RGB", (6, height)).save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()


@pytest.mark.parametrize("orientation", range(2, 9))
@pytest.mark.parametrize("is_stored", [True, False])
def test_masks_of_turned_images_are_as_they_are_stored_or_shown(
    orientation: int, *, is_stored: bool
) -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(4, 6)
    with Image.open(BytesIO(turned(orientation))) as image:
        size = ImageOps.exif_transpose(image).size
    upright = np.asarray(Image.fromarray(pixels).transpose(TURNS[orientation - 2]))
    masks = (pixels, upright)[not is_stored]
    other = np.asarray(Image.fromarray(pixels).transpose(TURNS[4]))
    content = {"images/a.jpg": turned(orientation), "images/b.jpg": turned(6)}
    for name, mask in (("a", masks), ("b", pixels if is_stored else other)):
        buffer = BytesIO()
        Image.fromarray(mask).save(buffer, "PNG")
        content[f"masks/{name}.png"] = buffer.getvalue()
    files = Files(content)
    found = read(AnnotatedFiles(files, files))
    assert np.array_equal(found.mask("masks/a.png", size)[0], upright)
    assert len([text for text in found.warnings if "EXIF" in text]) == (
        is_stored or orientation < 5
    )


def test_a_limited_survey_says_so() -> None:
    names = [f"{number}.png" for number in range(9)]
    files = together(*(f"images/{name}" for name in names), *(f"masks/{name}" for name in names))
    assert any("Only 3 of 9 masks" in text for text in read(files, most=3).warnings)
    assert not any("Only" in text for text in read(files).warnings)


def test_names_that_are_alike_are_not_mixed_up() -> None:
    names = ["a1", "a_1", "a-1", "a 1", "b.1", "b.2", "label printer", "mask"]
    files = together(*(f"images/{name}.png" for name in names), *(f"masks/{n}.png" for n in names))
    assert pairs(files) == {f"images/{name}.png": f"masks/{name}.png" for name in names}


def test_two_folders_are_matched_by_path_or_else_by_name() -> None:
    files = apart(
        ["train/a.jpg", "val/a.jpg", "val/b.jpg"], ["train/a.png", "val/a.png", "x/b.png"]
    )
    assert pairs(files) == {
        "train/a.jpg": "train/a.png",
        "val/a.jpg": "val/a.png",
        "val/b.jpg": "x/b.png",
    }


def test_missing_and_duplicate_partners_are_reported() -> None:
    files = together(
        *("images/a.jpg", "images/a.png", "images/b.png", "masks/a.png", "masks/c.png")
    )
    found = read(files)
    assert [each.path for each in found.pictures] == ["images/a.jpg"]
    assert {each.path: each.reason for each in found.problems} == {
        "images/a.png": "it has the same name as images/a.jpg",
        "images/b.png": 'it has no mask named "b"',
        "masks/c.png": "no image belongs to this mask",
    }


def test_nothing_to_pair_is_refused() -> None:
    assert not FORM.accepts(together("cats/a.png", "dogs/a.png"))
    with pytest.raises(StudioError, match="No image in"):
        read(apart(["a.png"], ["b.png"]))


def test_classes_come_from_a_file_beside_the_masks() -> None:
    files = together(
        "images/a.png", "masks/a.png", **{"masks/classes.txt": b"ground\nroof\n", "z.txt": b"-"}
    )
    found = read(files)
    assert found.names == ("ground", "roof")
    with pytest.raises(BadDataError, match=r"masks/a\.png cannot be used: the value 2"):
        found.mask("masks/a.png", (3, 1))
    named = read(files, class_names=("a", "b", "c"))
    assert named.names == ("a", "b", "c")
    assert named.mask("masks/a.png", (3, 1))[0].tolist() == [[0, 1, 2]]
    text = read(files, labels_text="1 1 1 one\n2 2 2 two\n3 3 3 three", mask_mode="index")
    assert (text.names, text.colors[1]) == (("one", "two", "three"), "#020202")


def test_values_of_every_mask_are_classes() -> None:
    content = {f"images/{number:03}.png": png(0) for number in range(200)}
    content |= {f"masks/{number:03}.png": png(0) for number in range(200)}
    content["masks/123.png"] = png(9)
    files = Files(content)
    assert read(AnnotatedFiles(files, files)).names == ("0", "9")


def test_masks_that_cannot_be_read_are_refused_if_there_are_no_others() -> None:
    files = Files({"images/a.png": png(0), "masks/a.png": b"no picture"})
    with pytest.raises(StudioError, match=r"None of the masks .* masks/a\.png: not an image"):
        read(AnnotatedFiles(files, files))


def test_masks_in_folders_of_other_names_are_named() -> None:
    files = Files({"Input_1/images/a.png": png(9), "Truth/masks/a_segmentation.png": png(0)})
    with pytest.raises(StudioError, match="mask of Input_1/images/a"):
        FORM.read(AnnotatedFiles(files, files), AnnotationOptions(), SILENT)


def test_folders_where_no_image_has_a_mask_are_pointed_out() -> None:
    content = {"images/1.png": png(9, 9), "mask/1_mask.png": png(0, 1), "manual/5_x.png": png(1)}
    files = Files(content)
    found = FORM.read(AnnotatedFiles(files, files), AnnotationOptions(), SILENT)
    assert [str(text)[:34] for text in found.warnings] == ["The image in manual has no mask. I"]
    assert [each.path for each in found.problems] == ["manual/5_x.png"]


def test_names_with_brackets_are_usual() -> None:
    content = {"benign (1).png": png(9, 9), "benign (1)_mask.png": png(0, 1)}
    files = Files({**content, "benign (2).png": png(9, 9), "benign (2)_mask.png": png(1, 0)})
    found = FORM.read(AnnotatedFiles(files, files), AnnotationOptions(), SILENT)
    assert len(found.pictures) == 2
    assert not found.warnings


@pytest.mark.parametrize("words", [("cat", "dog"), ("mask", "mask")])
def test_words_of_masks_that_may_be_classes_are_pointed_out(words: tuple[str, str]) -> None:
    masks = [f"masks/{words[number % 2]}_{number}.png" for number in range(6)]
    files = together(*(f"images/{number}.jpg" for number in range(6)), *masks)
    said = [text for text in read(files).warnings if "have the words cat, dog" in text]
    assert len(said) == (words[0] == "cat")
