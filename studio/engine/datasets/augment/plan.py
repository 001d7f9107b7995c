"""Plan of the augmentation of training images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from studio.engine.errors import Problem
from studio.engine.messages import as_message, message
from studio.engine.pixel_format import PixelFormat
from studio.engine.plans import Condition, Plan, plan_field
from studio.engine.plug_ins import Kind, found
from studio.engine.registry import Registry

QuarterTurns = Literal["none", "half", "quarter", "all"]
Fill = Literal["reflect", "black", "gray", "white"]
Mean = Literal["none", "pixel", "image"]
RunOn = Literal["auto", "host", "device"]

_HOST_ONLY = (
    *("blur", "channel_intensity", "noise", "shot_noise", "erasing", "rand_augment", "aug_mix"),
    *("mix_up", "cut_mix"),
    *("mosaic", "object_crop", "added"),
)
AUGMENTATIONS = Kind(
    "studio.augmentations", "augmentation", ("label", "change", "mix", "suits"), comes_first=False
)
"""Operations of other packages, see `operation.Operation`."""


def added_names() -> list[str]:
    """Return the names of the operations of other packages."""
    names = AugmentationPlan.model_fields
    return [each for each in found(AUGMENTATIONS).objects if each not in names]


def _added_labels() -> dict[str, str]:
    others = found(AUGMENTATIONS).objects
    return {"": "None", **{name: others[name].label or name for name in added_names()}}


class AugmentationPlan(Plan):
    """Every control off by default: then images go to the network as they are.

    A number says how far the change goes at most, or its spread; every image draws its own.
    `crop`, `subtract_mean` and `whitening` also become part of the network, so that validation,
    evaluation and prediction do the same; the rest acts on training images alone. So does `crop`
    where networks take images of any size (`Output.any_size`).
    """

    horizontal_flip: bool = plan_field(
        False,
        label="Flip left and right",
        group="Flips and turns",
        help="Mirror half of the images horizontally.",
        why="Use for photographs; not where left and right differ, as in letters and digits.",
    )
    vertical_flip: bool = plan_field(
        False,
        label="Flip upside down",
        group="Flips and turns",
        help="Mirror half of the images vertically.",
        why="Use for images without a top, such as microscope or aerial images.",
    )
    quarter_turns: QuarterTurns = plan_field(
        "none",
        label="Quarter turns",
        group="Flips and turns",
        help="Rotate images by a random multiple of 90°.",
        why="Use where orientation carries no meaning. Images that are not square are "
        "stretched to fit.",
        labels={
            "none": "None",
            "half": "0 or 180°",
            "quarter": "0, 90 or 270°",
            "all": "All four",
        },
    )
    rotation: float = plan_field(
        0.0,
        label="Rotation",
        group="Flips and turns",
        help="Maximum rotation in either direction.",
        why="10 to 15° suits most photographs; use more if objects have any orientation. "
        "Too much turns a 6 into a 9.",
        unit="°",
        within=(0, 180),
    )
    shear: float = plan_field(
        0.0,
        label="Shear",
        group="Size and position",
        help="Maximum horizontal and vertical shear.",
        why="Use a few degrees for handwriting and varying viewpoints.",
        unit="°",
        within=(0, 60),
    )
    rescale: float = plan_field(
        0.0,
        label="Rescale",
        group="Size and position",
        help="Standard deviation of a random change of size.",
        why="As in DIGITS, which recommended 7 %.",
        unit="%",
        within=(0, 100),
    )
    zoom: float = plan_field(
        0.0,
        label="Zoom",
        group="Size and position",
        help="Maximum zoom in or out, as a percentage of each side.",
        why="Use 10 to 20 % if the distance to objects varies.",
        unit="%",
        within=(0, 90),
    )
    translation: float = plan_field(
        0.0,
        label="Translation",
        group="Size and position",
        help="Maximum shift, as a percentage of each side.",
        why="Use 10 % if objects are not always centered.",
        unit="%",
        within=(0, 100),
    )
    fill: Fill = plan_field(
        "reflect",
        label="Fill",
        group="Size and position",
        help="Fill of the empty areas around a transformed image.",
        why="Use reflect for photographs, and the background color for drawings and digits. "
        "Images with boxes are filled gray instead of reflect: mirrored objects have no boxes.",
        labels={"reflect": "Reflection", "black": "Black", "gray": "Gray", "white": "White"},
        applicable_when=Condition(
            ("rotation", "shear", "rescale", "zoom", "translation", "rand_augment", "aug_mix"),
            "No change leaves empty areas",
        ),
    )
    crop: int = plan_field(
        0,
        label="Crop",
        group="Size and position",
        help="Side of a square crop at random places in training; otherwise, networks with masks "
        "see whole images, and others the center.",
        why="Use for faster training: steps on parts of large images take less time. 0 is off.",
        unit="px",
        within=(0, 4096),
    )
    brightness: float = plan_field(
        0.0,
        label="Brightness",
        group="Light and color",
        help="Maximum change of brightness.",
        why="Use 10 to 20 % if lighting varies between images.",
        unit="%",
        within=(0, 100),
    )
    contrast: float = plan_field(
        0.0,
        label="Contrast",
        group="Light and color",
        help="Maximum change of contrast.",
        why="Use 10 to 30 % if cameras or weather vary.",
        unit="%",
        within=(0, 500),
    )
    hue: float = plan_field(
        0.0,
        label="Hue",
        group="Light and color",
        help="Maximum shift of hue in either direction.",
        why="Use less than 20°; leave it off where color distinguishes the classes, as with "
        "fruit.",
        unit="°",
        within=(0, 180),
    )
    saturation: float = plan_field(
        0.0,
        label="Saturation",
        group="Light and color",
        help="Maximum change of saturation.",
        why="Use 10 to 30 % if cameras vary; leave it off where color distinguishes the classes.",
        unit="%",
        within=(0, 100),
    )
    value: float = plan_field(
        0.0,
        label="Value",
        group="Light and color",
        help="Maximum change of the factor of all channels.",
        why="Use 10 to 20 % if exposure varies.",
        unit="%",
        within=(0, 100),
    )
    channel_intensity: float = plan_field(
        0.0,
        label="Channel intensity",
        group="Light and color",
        help="Maximum change of the factor of each channel, drawn for each channel by itself.",
        why="Use 10 to 30 % if dyes, bands or exposures of channels vary independently.",
        unit="%",
        within=(0, 100),
    )
    blur: float = plan_field(
        0.0,
        label="Blur",
        group="Blur, noise, gaps",
        help="Maximum radius of a blur.",
        why="Use up to 1 px if some images are not sharp. Small images lose detail.",
        unit="px",
        within=(0, 10),
    )
    noise: float = plan_field(
        0.0,
        label="Noise",
        group="Blur, noise, gaps",
        help="Standard deviation of the noise, as a percentage of full brightness.",
        why="As in DIGITS, which recommended 3 %.",
        unit="%",
        within=(0, 100),
    )
    shot_noise: float = plan_field(
        0.0,
        label="Shot noise",
        group="Blur, noise, gaps",
        help="Standard deviation of noise that grows with the square root of the brightness.",
        why="As few photons cause it, in microscopes and at night; 2 to 5 % is usual.",
        unit="%",
        within=(0, 100),
    )
    erasing: float = plan_field(
        0.0,
        label="Erasing",
        group="Blur, noise, gaps",
        help="Maximum area of a rectangle that is replaced by the mean color.",
        why="Use 10 to 20 % if objects may be partly hidden.",
        unit="%",
        within=(0, 90),
    )
    rand_augment: float = plan_field(
        0.0,
        label="RandAugment",
        group="All changes combined",
        help="Strength of two random operations out of fourteen; 0 is off.",
        why="Use 5 to 9 for photographs instead of separate settings; leave it off for "
        "digits and drawings.",
        within=(0, 10),
    )
    aug_mix: float = plan_field(
        0.0,
        label="AugMix",
        group="All changes combined",
        help="Strength of three blended chains of operations; 0 is off.",
        why="Use it for robustness against low image quality; 3 is usual.",
        within=(0, 10),
    )
    mix_up: float = plan_field(
        0.0,
        label="MixUp",
        group="Mixed images",
        help="Blend pairs of images and their labels; 0 is off.",
        why="0.2 is usual; larger values blend more evenly. Training accuracy appears low.",
        within=(0, 10),
    )
    cut_mix: float = plan_field(
        0.0,
        label="CutMix",
        group="Mixed images",
        help="Paste a part of another image, and mix labels by area; 0 is off.",
        why="1 is usual. Training accuracy appears low.",
        within=(0, 10),
    )
    mosaic: float = plan_field(
        0.0,
        label="Mosaic",
        group="Objects in boxes",
        help="Share of images that are combined with three others, each in a quarter.",
        why="Use 50 to 100 % for small datasets with boxes and long training; small objects "
        "become smaller. The last 15 % of the epochs train without it.",
        unit="%",
        within=(0, 100),
    )
    object_crop: float = plan_field(
        0.0,
        label="Object crop",
        group="Objects in boxes",
        help="Share of images that are cropped at random around a whole object, and enlarged.",
        why="Use 50 % if the size of objects varies, and where small objects are missed.",
        unit="%",
        within=(0, 100),
    )
    least_visible: float = plan_field(
        0.3,
        label="Visible part",
        group="Objects in boxes",
        help="Smallest visible share of a box; boxes with less inside the image are dropped.",
        why="Use more if parts of objects cannot be recognized.",
        within=(0, 1),
    )
    added: str = plan_field(
        "",
        label="Augmentation of a package",
        group="Packages",
        help="Operation of an installed package, beside the others.",
        why="Packages add operations by entry points; studio plugins lists them.",
        labels=_added_labels,
    )
    added_strength: float = plan_field(
        50.0,
        label="Strength",
        group="Packages",
        help="Strength of the operation of a package; it draws each change up to it.",
        why="Use less if training images no longer look like those that are predicted.",
        unit="%",
        within=(0, 100),
        applicable_when=Condition(
            ("added",), "No operation of a package is chosen", lambda: tuple(added_names())
        ),
    )
    subtract_mean: Mean = plan_field(
        "none",
        label="Subtract mean",
        group="Inside the network",
        help="Subtract the mean of the training images in the network.",
        why="Use with older networks such as those of Caffe; batch normalization makes it "
        "unnecessary.",
        labels={"none": "No", "pixel": "Mean color", "image": "Mean image"},
    )
    whitening: bool = plan_field(
        False,
        label="Whitening",
        group="Inside the network",
        help="Normalize each image to mean 0 and standard deviation 1 in the network.",
        why="Use if lighting varies strongly.",
    )

    run_on: RunOn = plan_field(
        "auto",
        label="Computed on",
        group="Device",
        help="Device that augments the images: the CPU or the training device.",
        why="Automatic: a GPU if there is one. Blur, noise, erasing, policies and mixing always "
        "run on the processor, and everything else in the plan with them.",
        labels={"auto": "Automatic", "host": "Processor", "device": "Training device"},
    )

    def window(self, height: int, width: int) -> tuple[slice, slice]:
        """Return rows and columns of the crop of an augmented image; all without a crop.

        Augmentation moves the image, so that a random part of it comes to lie in the center.

        Args:
            height: Height of the image in pixels.
            width: Width of the image in pixels.
        """
        rows, columns = (
            slice(start := (side - self.crop) // 2, start + self.crop)
            if self.crop
            else slice(0, side)
            for side in (height, width)
        )
        return rows, columns

    @property
    def host_only(self) -> list[str]:
        """Fields that are on and that only the host can do, because they are not linear."""
        return [name for name in _HOST_ONLY if getattr(self, name)]


# What in an augmentation plan cannot be, or does nothing, with the images at hand.


_COLOR_FIELDS = ("hue", "saturation")
_BYTE_FIELDS = ("rand_augment", "aug_mix")


def check_augmentation(
    plan: AugmentationPlan,
    shape: tuple[int, int, int],
    batch_size: int,
    pixels: PixelFormat | None = None,
) -> list[Problem]:
    """Hold a plan against the images and batches that it is for.

    Args:
        plan: The plan.
        shape: Height, width and channels of the images.
        batch_size: Images per batch.
        pixels: Number format of the images; None for gray or color of 8 bits.

    Returns:
        Problems, with `where` inside the plan; those that are not serious are advice.
    """
    height, width, channels = shape
    problems = []
    if plan.crop > min(height, width):
        problems.append(
            Problem(
                "crop",
                message(
                    "a square of {side} pixels does not fit into images of {width}x{height}.",
                    side=plan.crop,
                    width=width,
                    height=height,
                ),
                message("Use at most {side}, or 0 for no crop.", side=min(height, width)),
            )
        )
    if channels == 1:
        problems += [
            Problem(
                name,
                message("{operation} has no effect on gray images.", operation=name),
                "Set it to 0.",
                serious=False,
            )
            for name in ("hue", "saturation")
            if getattr(plan, name)
        ]
    if pixels is not None and not pixels.is_standard:
        problems += _unsuited(plan, pixels)
    if plan.run_on == "device" and plan.host_only:
        names = ", ".join(plan.host_only)
        problems.append(
            Problem(
                "run_on",
                message(
                    "augmentation runs on the CPU: the training device does not support "
                    "{operations}.",
                    operations=names,
                ),
                message("Set {operations} to 0, or set place to auto.", operations=names),
                serious=False,
            )
        )
    if batch_size == 1:
        problems += [
            Problem(name, "batches of one image cannot be mixed.", "Use larger batches.", False)
            for name in ("mix_up", "cut_mix")
            if getattr(plan, name)
        ]
    return problems


def _unsuited(plan: AugmentationPlan, pixels: PixelFormat) -> list[Problem]:
    """Return the operations that need other images than those of a number format."""
    colors = () if pixels.is_rgb or pixels.is_gray else _COLOR_FIELDS
    return [
        Problem(
            name,
            message(
                "it needs {needed}; the images have {channels} channels of the type {dtype}.",
                one="it needs {needed}; the images have one channel of the type {dtype}.",
                count=pixels.channels,
                needed=as_message(needed),
                channels=pixels.channels,
                dtype=pixels.dtype,
            ),
            "Set it to 0.",
        )
        for fields, needed in (
            (colors, message("red, green and blue")),
            (_BYTE_FIELDS, message("gray or color of 8 bits")),
        )
        for name in fields
        if getattr(plan, name)
    ]


# Ready augmentation plans, as data.


@dataclass(frozen=True, slots=True)
class Preset:
    """A ready augmentation plan.

    Attributes:
        name: Stable name, as on the command line.
        label: Shown name.
        summary: One line: what it is good for.
        values: The fields that are not as in a new plan.
    """

    name: str
    label: str
    summary: str
    values: Mapping[str, object]

    @property
    def plan(self) -> AugmentationPlan:
        """The whole plan."""
        return AugmentationPlan.parse(dict(self.values))

    def plan_for(self, pixels: PixelFormat) -> AugmentationPlan:
        """Return the plan without the changes of colors that images cannot have.

        Args:
            pixels: Number format of the images.
        """
        left_out = dict.fromkeys(self.left_out(pixels), 0.0)
        return AugmentationPlan.parse({**self.values, **left_out})

    def left_out(self, pixels: PixelFormat) -> list[str]:
        """Return the fields of the preset that need red, green and blue, where images have others.

        Args:
            pixels: Number format of the images.
        """
        if pixels.is_rgb or pixels.is_gray:
            return []
        return [name for name in _COLOR_FIELDS if self.values.get(name)]


PRESETS: Registry[Preset] = Registry(
    "augmentation preset",
    [
        Preset("off", "Off", "No augmentation.", {}),
        Preset(
            "light",
            "Light",
            "Small turns, moves and changes of light; safe for most images, also of digits.",
            {"rotation": 10.0, "zoom": 10.0, "translation": 5.0, "brightness": 10.0}
            | {"contrast": 20.0},
        ),
        Preset(
            "strong",
            "Strong",
            "For few photographs and long training: mirrors, colors, erasing.",
            {"horizontal_flip": True, "rotation": 20.0, "shear": 8.0, "zoom": 25.0}
            | {"translation": 10.0, "brightness": 20.0, "contrast": 40.0, "hue": 15.0}
            | {"saturation": 40.0, "erasing": 20.0},
        ),
    ],
)
