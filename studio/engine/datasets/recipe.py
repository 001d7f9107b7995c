"""Recipe of an import: the source of the images and their conversion."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Literal, Self

from pydantic import field_validator, model_validator

from studio.engine.datasets.origins.kinds import ORIGIN_LABELS, OriginChoice
from studio.engine.datasets.plane_choices import FIRST, check_choice
from studio.engine.datasets.split_plan import require_training_images
from studio.engine.datasets.value_ranges import parsed_ranges
from studio.engine.jobs.types import JobType, register
from studio.engine.messages import message
from studio.engine.pixel_format import NETWORK_RANGE, PixelFormat
from studio.engine.plans import Condition, Plan, expert_field, plan_field
from studio.engine.tasks import DEFAULT_TASK, TASKS, installed_task
from studio.engine.tasks.placement import ResizeMode
from studio.engine.tasks.task import Task
from studio.engine.workspace import RecordKind

Color = Literal["rgb", "gray", "all"]
BitDepth = Literal["source", "8"]
Border = Literal["background", "reflect"]
SplitName = Literal["train", "val", "test"]
Encoding = Literal["raw", "png", "jpeg"]
MaskMode = Literal["auto", "index", "color", "binary"]
LARGEST_SIDE = 4096
SMALLEST_TILE = 16

_SIZE = "Size and color"
_SPLIT = "Split"
_ELSEWHERE = "There is a separate source"


def _tasks_with(field: str) -> tuple[str, ...]:
    """Return the names of the tasks with which a field has an effect."""
    return tuple(
        task.name
        for task in TASKS.values()
        if field in task.import_fields or task.source.reads(field)
    )


_WITH_REGIONS = Condition(
    ("task",),
    "The images of this task have neither masks nor boxes",
    partial(_tasks_with, "class_names"),
)
_WITH_MASKS = Condition(
    ("task",),
    "The images of this task have no masks",
    partial(_tasks_with, "mask_mode"),
)
_WITH_BOXES = Condition(
    ("task",),
    "The images of this task have no boxes",
    partial(_tasks_with, "keep_empty"),
)
_WITH_GOOD_IMAGES = Condition(
    ("task",),
    "This task learns from images of all classes",
    partial(_tasks_with, "good_classes"),
)
_limit_field = partial(plan_field, level="expert", group="Images per class")
_list_field = partial(plan_field, level="expert", group="Lists of images")
_mask_field = partial(plan_field, level="expert", group="Masks", applicable_when=_WITH_MASKS)
_box_field = partial(plan_field, level="expert", group="Boxes", applicable_when=_WITH_BOXES)
_tile_field = partial(plan_field, level="expert", group="Tiles")
_encoding_field = partial(plan_field, level="expert", group="Encoding")
_expert_split_field = partial(plan_field, level="expert", group=_SPLIT)


@cache
def _byte_format(channels: int) -> PixelFormat:
    """Return the format of 8 bit images; it is asked for several times for each image."""
    return PixelFormat.bytes_of(channels)


def is_color(text: str) -> bool:
    """Return True for a color written as #rrggbb."""
    return re.fullmatch("#[0-9a-fA-F]{6}", text) is not None


class DatasetRecipe(Plan):
    """Conversion of pictures to a dataset.

    `source` is the absolute path of the images: a folder, an archive, a list, or any other thing
    that a source reads. The same recipe on the same files gives the same dataset, byte for byte.
    """

    version: Literal[1] = 1
    source: str = plan_field(
        label="Images",
        help="A folder of class folders, an archive, a list, arrays, a dataset, or an address.",
        level="hidden",
    )
    task: str = plan_field(
        DEFAULT_TASK.name,
        label="Task",
        help="Task that networks learn on the images.",
        level="hidden",
    )
    target_columns: list[str] = plan_field(
        [],
        label="Target columns",
        help="Columns of a table that hold the targets; empty for all usable columns.",
        level="hidden",
    )
    annotations: str = plan_field(
        "",
        label="Annotations",
        help="Folder or file with the masks or boxes, if they are not in the image folder.",
        level="hidden",
        applicable_when=_WITH_REGIONS,
    )
    class_names: list[str] = plan_field(
        [],
        label="Class names",
        help="Names of the classes, in the order of their index.",
        level="hidden",
        applicable_when=_WITH_REGIONS,
    )
    class_colors: list[str] = plan_field(
        [],
        label="Class colors",
        help="Colors of the classes as #rrggbb.",
        level="hidden",
        applicable_when=_WITH_REGIONS,
    )
    good_classes: list[str] = plan_field(
        [],
        label="Good classes",
        help="Classes of the images without defects, where classes and not folders of defects are "
        "given; images of other classes have defects of that kind.",
        level="hidden",
        applicable_when=_WITH_GOOD_IMAGES,
    )
    more_sources: list[str] = plan_field(
        [],
        label="More images",
        help="Additional sources whose images are merged class by class.",
        level="hidden",
    )
    width: int = plan_field(
        64,
        label="Width",
        help="Width of every image after import.",
        why="Larger images keep detail but train slower: twice the side is four times the work.",
        unit="px",
        within=(1, LARGEST_SIDE),
        group=_SIZE,
    )
    height: int = plan_field(
        64,
        label="Height",
        help="Height of every image after import.",
        why="Larger images keep detail but train slower. Pretrained networks usually expect 224.",
        unit="px",
        within=(1, LARGEST_SIDE),
        group=_SIZE,
    )
    color: Color = plan_field(
        "rgb",
        label="Color",
        help="Keep color, convert images to grayscale, or keep all channels of the files.",
        why="Choose gray where color carries no information: images are three times smaller. "
        "Choose all channels for microscopes, satellites and arrays with other channels than red, "
        "green and blue.",
        labels={"rgb": "Color", "gray": "Gray", "all": "All channels"},
        group=_SIZE,
    )
    bit_depth: BitDepth = expert_field(
        "source",
        label="Bit depth",
        help="Keep the pixel values of the files, or reduce them to 8 bits.",
        why="Images of 16 bits or fractions take two to four times the space of 8 bits, and keep "
        "all levels.",
        labels={"source": "As in the files", "8": "8 bits"},
        group=_SIZE,
    )
    value_range: str = expert_field(
        "",
        label="Value range",
        help="Lowest and highest pixel value: LOW-HIGH, one for each channel, or per_image.",
        why="Networks receive this range as 0 to 255. Empty: proposed from a sample. per_image "
        "scales each image by its own range, for images of varying exposure.",
        group=_SIZE,
    )
    planes: str = expert_field(
        FIRST,
        label="Planes",
        help="What files with several planes become: first, images, channels, maximum, mean, or a "
        "number from 1.",
        why="Stacks of a microscope and frames of a scan: images takes each plane as an image and "
        "keeps the planes of a file in one split; maximum and mean are projections.",
        group=_SIZE,
    )
    channel_files: str = expert_field(
        "",
        label="Channel files",
        help="End of the names of the files of each channel, where an image lies in several "
        "files: _DAPI,_GFP.",
        why="The files of an image become its channels, in this order. Images that lack a file "
        "are left out.",
        group=_SIZE,
    )
    pixels: PixelFormat | None = plan_field(
        None,
        label="Pixel format",
        help="Number format of the pixels of the files, found in a sample of them.",
        level="hidden",
    )
    resize: ResizeMode = plan_field(
        "squash",
        label="Resize",
        help="Fit images of a different aspect ratio.",
        why="Squash distorts; crop removes borders; fill adds borders; half crop is between crop "
        "and fill.",
        labels={
            "squash": "Squash (stretch to fit)",
            "crop": "Crop the longer side",
            "fill": "Fill the border",
            "half_crop": "Half crop, half fill",
        },
        group=_SIZE,
    )
    border: Border = expert_field(
        "background",
        label="Border",
        help="Content of the borders that Fill and Half crop add.",
        why="A reflection has no hard edge that a network could learn as a feature.",
        labels={"background": "The background color", "reflect": "A reflection of the image"},
        group=_SIZE,
        applicable_when=Condition(
            ("resize",), "This resize leaves no border", ("fill", "half_crop")
        ),
    )
    background: str = expert_field(
        "#ffffff",
        label="Background",
        help="Color behind transparent pixels and around filled images, as #rrggbb.",
        why="Use the background of the other images, so that the border reveals nothing about the "
        "class.",
        group=_SIZE,
    )
    mask_mode: MaskMode = _mask_field(
        "auto",
        label="Mask pixels",
        help="How the pixel values of mask files encode classes.",
        why="Auto inspects the files. Choose another mode if it mistakes class indexes for black "
        "and white.",
        labels={
            "auto": "Auto",
            "index": "Class indexes",
            "color": "Colors",
            "binary": "Black and white",
        },
    )
    ignore_value: str = _mask_field(
        "",
        label="Ignore value",
        help="Number or color (#rrggbb) of mask pixels that belong to no class.",
        why="Empty: 255 in masks of a format where it marks no class, such as Pascal VOC; none: "
        "all pixels count. Pixels of no class count neither in training nor in metrics.",
    )
    tile_size: int = _tile_field(
        0,
        label="Tile size",
        help="Width of the square tiles that each image is cut into, in pixels of the image; 0 "
        "for none.",
        why="For images that are much larger than the network input and have small details.",
        unit="px",
        within=(0, LARGEST_SIDE),
        applicable_when=_WITH_REGIONS,
    )
    tile_overlap: int = _tile_field(
        0,
        label="Tile overlap",
        help="Pixels that neighboring tiles have in common.",
        why="With an overlap, an object on the border of one tile is complete in another.",
        unit="px",
        within=(0, LARGEST_SIDE - 1),
        applicable_when=Condition(("tile_size",), "The images are not cut into tiles"),
    )
    keep_empty: bool = _box_field(
        True,
        label="Images without objects",
        help="Keep images without objects.",
        why="They teach the network what is not an object. Leave them out if their objects were "
        "never annotated.",
    )
    least_visible: float = _box_field(
        0.3,
        label="Visible part",
        help="Fraction of a box that must be inside an image, or a tile of it; others are left "
        "out.",
        why="Networks learn little from objects that are almost entirely cut off.",
        within=(0, 1),
    )
    encoding: Encoding = _encoding_field(
        "raw",
        label="Encoding",
        help="Storage format of the pixels.",
        why="Raw is fastest. PNG takes less space without loss, JPEG far less with small changes; "
        "both are decoded again in each epoch.",
        labels={"raw": "Raw pixels", "png": "PNG (lossless)", "jpeg": "JPEG (smallest)"},
    )
    jpeg_quality: int = _encoding_field(
        90,
        label="JPEG quality",
        help="JPEG quality, from 1 to 100.",
        why="Lower is smaller; below about 75, JPEG artifacts become visible to the network.",
        within=(1, 100),
        applicable_when=Condition(("encoding",), "Only JPEG has a quality", ("jpeg",)),
    )
    val_percent: float = plan_field(
        20.0,
        label="Validation",
        help="Percentage of images used to validate the network during training.",
        why="10 to 20 % is usual. Too few images make the curve noisy; too many leave less "
        "training data.",
        unit="%",
        right_open=(0, 100),
        group=_SPLIT,
        applicable_when=Condition(("val_source",), _ELSEWHERE, ("",)),
    )
    test_percent: float = plan_field(
        10.0,
        label="Test",
        help="Percentage of images held out for the final test.",
        why="10 to 20 % gives an unbiased final result. Use 0 only if you have test images "
        "elsewhere.",
        unit="%",
        right_open=(0, 100),
        group=_SPLIT,
        applicable_when=Condition(("test_source",), _ELSEWHERE, ("",)),
    )
    val_source: str = _expert_split_field(
        "",
        label="Validation images",
        help="Separate source of the validation images; none are split off then.",
        why="If the images are already split, or images of one day or patient must stay together.",
    )
    test_source: str = _expert_split_field(
        "",
        label="Test images",
        help="Separate source of the test images; none are split off then.",
        why="For published test sets, or images of another camera.",
    )
    min_per_class: int = _limit_field(
        1,
        label="Minimum per class",
        help="Minimum number of images per class; smaller classes are excluded.",
        why="Ten or more are needed to learn a class; classes of one or two only add noise.",
        ge=1,
    )
    max_per_class: int | None = _limit_field(
        None,
        label="Maximum per class",
        help="Maximum number of images per class, sampled at random; empty keeps all.",
        why="Balances classes of very different size, or makes a quick first test.",
        ge=1,
    )
    val_min_per_class: int = _limit_field(
        1,
        label="Minimum validation",
        help="Minimum number of separate validation images per class.",
        why="A metric of one or two images is not meaningful for a class.",
        ge=1,
    )
    val_max_per_class: int | None = _limit_field(
        None,
        label="Maximum validation",
        help="Maximum number of separate validation images per class.",
        why="Prevents large classes from slowing validation down.",
        ge=1,
    )
    test_min_per_class: int = _limit_field(
        1,
        label="Minimum test",
        help="Minimum number of separate test images per class.",
        why="A metric of one or two images is not meaningful for a class.",
        ge=1,
    )
    test_max_per_class: int | None = _limit_field(
        None,
        label="Maximum test",
        help="Maximum number of separate test images per class.",
        why="Prevents large classes from dominating the result.",
        ge=1,
    )
    labels_file: str = _list_field(
        "",
        label="Labels file",
        help="Text file with one class name per line, if the labels are numbers.",
        why="Without it, the classes are named 0, 1, 2 and so on.",
    )
    path_prefix: str = _list_field(
        "",
        label="Path prefix",
        help="Base folder of relative paths in a list; empty for the list's folder.",
        why="Use if a list was made on another computer or is in another folder than its images.",
    )
    internal_addresses: bool = _list_field(
        False,
        label="Internal addresses",
        help="Allow addresses of this computer and the local network in lists and redirects.",
        why="Only for trusted lists: addresses can reach routers and services in your network.",
    )
    val_path_prefix: str = expert_field(
        "",
        label="Prefix, validation",
        help="Base folder of a separate list of validation images, if different.",
        why="Use if the validation images are in another folder.",
    )
    test_path_prefix: str = expert_field(
        "",
        label="Prefix, test",
        help="Base folder of a separate list of test images, if different.",
        why="Use if the test images are in another folder.",
    )
    origins: OriginChoice = plan_field(
        "auto",
        label="Keep together",
        help="Images of one origin, such as a film, get the same split.",
        why="Images of one film resemble each other. If some train and others test the network, "
        "results are too good for new films.",
        labels=ORIGIN_LABELS,
        group=_SPLIT,
    )
    origin_column: str = _expert_split_field(
        "",
        label="Column of origins",
        help="Column of a table with the origin of each image, such as a patient.",
        why="Empty: columns such as group, patient, video or plate are recognized.",
    )
    only_classes: list[str] = plan_field(
        [], label="Only classes", help="Import only these classes.", level="hidden"
    )
    only_splits: list[SplitName] = plan_field(
        [],
        label="Only splits",
        help="Import only these splits, if the source has splits.",
        level="hidden",
    )
    seed: int = _expert_split_field(
        0,
        label="Seed",
        help="The same seed gives the same split.",
        why="Change it to see how much a result depends on the choice of held-out images.",
        within=(0, 2**32 - 1),
    )

    @field_validator("task")
    @classmethod
    def _check_task(cls, name: str) -> str:
        return installed_task(name)

    @model_validator(mode="after")
    def _check_percentages(self) -> Self:
        require_training_images(self.val_percent, self.test_percent)
        return self

    @field_validator("planes")
    @classmethod
    def _check_planes(cls, value: str) -> str:
        return check_choice(value)

    @model_validator(mode="after")
    def _check_channel_files(self) -> Self:
        ends = self.channel_ends
        if "" in ends or len(set(ends)) < len(ends):
            raise ValueError(message("each channel file needs its own end of a name"))
        if self.channel_files and self.planes != FIRST:
            raise ValueError(message("files of channels are joined by their first planes only"))
        return self

    @model_validator(mode="after")
    def _check_value_range(self) -> Self:
        parsed_ranges(self.value_range)
        return self

    @model_validator(mode="after")
    def _check_background(self) -> Self:
        if not is_color(f"#{self.background.removeprefix('#')}"):
            raise ValueError(
                message(
                    "the background has the form #rrggbb; received {received}",
                    received=repr(self.background),
                )
            )
        return self

    @model_validator(mode="after")
    def _check_classes(self) -> Self:
        for color in self.class_colors:
            if not is_color(color):
                raise ValueError(
                    message(
                        "class colors have the form #rrggbb; received {received}",
                        received=repr(color),
                    )
                )
        return self

    @model_validator(mode="after")
    def _check_tiles(self) -> Self:
        if 0 < self.tile_size < SMALLEST_TILE:
            raise ValueError(
                message(
                    "tiles must be at least {limit} px wide; received {size}",
                    limit=SMALLEST_TILE,
                    size=self.tile_size,
                )
            )
        if self.tile_size and self.good_classes:
            raise ValueError(
                message(
                    "images with classes cannot be cut into tiles: no class says which tile has "
                    "the defect"
                )
            )
        if self.tile_size and 2 * self.tile_overlap > self.tile_size:
            raise ValueError(
                message(
                    "tiles can overlap by at most half of their width; received {overlap} of "
                    "{size} px",
                    overlap=self.tile_overlap,
                    size=self.tile_size,
                )
            )
        return self

    @model_validator(mode="after")
    def _check_border(self) -> Self:
        if self.border == "reflect" and (reason := TASKS[self.task].geometry.no_reflection):
            raise ValueError(reason)
        return self

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        for split in ("train", "val", "test"):
            fewest, most = self.limits(split)
            if most is not None and most < fewest:
                splits = {"val": message("validation"), "test": message("test")}
                raise ValueError(
                    message(
                        "the maximum of {most} {split} images per class is below the minimum of "
                        "{fewest}",
                        most=most,
                        split=splits.get(split, message("training")),
                        fewest=fewest,
                    )
                )
        return self

    def limits(self, split: str) -> tuple[int, int | None]:
        """Return the minimum and maximum number of images of a class in a split, None for any.

        Those of `"val"` and `"test"` are about images that the source, or a place of their own,
        puts there; what is assigned by percentages is limited as `"train"`.
        """
        fewest = {"val": self.val_min_per_class, "test": self.test_min_per_class}
        most = {"val": self.val_max_per_class, "test": self.test_max_per_class}
        return fewest.get(split, self.min_per_class), most.get(split, self.max_per_class)

    def prefix(self, split: str | None) -> str:
        """Return the folder that the paths of the list of a split are relative to."""
        own = {"val": self.val_path_prefix, "test": self.test_path_prefix}
        return own.get(split or "", "") or self.path_prefix

    @property
    def read_as(self) -> Task:
        """The task as whose images the sources are read."""
        return DEFAULT_TASK if self.good_classes else TASKS[self.task]

    @property
    def channel_ends(self) -> tuple[str, ...]:
        """End of the names of the files of each channel; empty where a file is an image."""
        return tuple(self.channel_files.split(",")) if self.channel_files else ()

    @property
    def channels(self) -> int:
        """Channels of an image."""
        return self.pixel_format.channels

    @property
    def pixel_format(self) -> PixelFormat:
        """Number format of the images of the dataset."""
        if self.pixels is None:
            return _byte_format(1 if self.color == "gray" else 3)
        if self.bit_depth == "source" or self.pixels.dtype == "uint8":
            return self.pixels
        channels, names = self.pixels.channels, self.pixels.names
        return PixelFormat.uniform("uint8", channels, *NETWORK_RANGE, names)

    @property
    def keeps_values(self) -> bool:
        """True unless pictures are decoded as gray or color of 8 bits."""
        pixels = self.pixels
        is_plain = pixels is None or (
            pixels.dtype == "uint8" and (pixels.is_gray or pixels.is_rgb)
        )
        return not is_plain

    @property
    def background_rgb(self) -> tuple[int, int, int]:
        """The background as three numbers from 0 to 255."""
        text = self.background.removeprefix("#")
        return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


register(
    JobType(
        record=RecordKind.DATASET,
        plan=DatasetRecipe,
        handler="studio.engine.compute.dataset_jobs:import_dataset",
        verb="import",
    )
)
