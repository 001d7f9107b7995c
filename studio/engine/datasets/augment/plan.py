"""Plan of the augmentation of training images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from studio.engine.errors import Problem
from studio.engine.plans import Condition, Plan, plan_field
from studio.engine.registry import Registry

QuarterTurns = Literal["none", "half", "quarter", "all"]
Fill = Literal["reflect", "black", "gray", "white"]
Mean = Literal["none", "pixel", "image"]
Place = Literal["auto", "host", "device"]

_HOST_ONLY = ("blur", "noise", "erasing", "rand_augment", "aug_mix", "mix_up", "cut_mix")


class AugmentationPlan(Plan):
    """Every control off by default: then images go to the network as they are.

    A number says how far the change goes at most, or its spread; every image draws its own.
    `crop`, `subtract_mean` and `whitening` also become part of the network, so that validation,
    evaluation and prediction do the same; the rest acts on training images alone.
    """

    horizontal_flip: bool = plan_field(
        False,
        label="Flip left and right",
        help="Mirrors half of the images.",
        why="Good for photographs; wrong where left and right differ, as in letters and digits.",
    )
    vertical_flip: bool = plan_field(
        False,
        label="Flip upside down",
        help="Turns half of the images over.",
        why="For pictures without an up, as from a microscope or from above.",
    )
    quarter_turns: QuarterTurns = plan_field(
        "none",
        label="Quarter turns",
        help="Turns images by a multiple of 90 degrees.",
        why="An image that is not square is stretched to fit.",
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
        help="Turns by up to this, either way.",
        why="10 to 15° suit most photographs; more where things lie any way "
        "round. Too much turns a 6 into a 9.",
        unit="°",
        within=(0, 180),
    )
    shear: float = plan_field(
        0.0,
        label="Shear",
        help="Slants by up to this, sideways and upwards.",
        why="A few degrees suit handwriting and views from different sides.",
        unit="°",
        within=(0, 60),
    )
    rescale: float = plan_field(
        0.0,
        label="Rescale",
        help="Standard deviation of a random size: often a little, seldom much.",
        why="As in DIGITS, where 7 % was advised.",
        unit="%",
        within=(0, 100),
    )
    zoom: float = plan_field(
        0.0,
        label="Zoom",
        help="Shows up to this much less or more of each side.",
        why="10 to 20 % where things are near in some pictures and far in others.",
        unit="%",
        within=(0, 90),
    )
    translation: float = plan_field(
        0.0,
        label="Translation",
        help="Moves by up to this share of each side.",
        why="10 % where things are not always in the middle.",
        unit="%",
        within=(0, 100),
    )
    fill: Fill = plan_field(
        "reflect",
        label="Fill",
        help="What stands where a turned or moved image leaves the frame empty.",
        why="Reflect suits photographs; take the color of the ground for drawings and digits.",
        labels={"reflect": "Reflection", "black": "Black", "gray": "Gray", "white": "White"},
        applicable_when=Condition(
            ("rotation", "shear", "rescale", "zoom", "translation", "rand_augment", "aug_mix"),
            "No change leaves the frame empty",
        ),
    )
    crop: int = plan_field(
        0,
        label="Crop",
        help="The network sees a square of this side: anywhere in training, else the middle.",
        why="Off at 0. The network then has a smaller input and is faster.",
        unit="px",
        within=(0, 4096),
    )
    brightness: float = plan_field(
        0.0,
        label="Brightness",
        help="Adds or takes up to this share of full brightness.",
        why="10 to 20 % where the light differs from picture to picture.",
        unit="%",
        within=(0, 100),
    )
    contrast: float = plan_field(
        0.0,
        label="Contrast",
        help="Multiplies the distance from the mean color by 1 plus or minus up to this.",
        why="10 to 30 % where cameras or weather differ.",
        unit="%",
        within=(0, 500),
    )
    hue: float = plan_field(
        0.0,
        label="Hue",
        help="Turns the color circle, either way.",
        why="Small values, below 20°: wrong where color tells the classes apart, as with fruit.",
        unit="°",
        within=(0, 180),
    )
    saturation: float = plan_field(
        0.0,
        label="Saturation",
        help="Makes colors stronger or paler by up to this.",
        why="10 to 30 % where cameras differ; off where color is what counts.",
        unit="%",
        within=(0, 100),
    )
    value: float = plan_field(
        0.0,
        label="Value",
        help="Multiplies all channels by 1 plus or minus up to this.",
        why="10 to 20 % for pictures of different exposure.",
        unit="%",
        within=(0, 100),
    )
    blur: float = plan_field(
        0.0,
        label="Blur",
        help="Softens with a radius of up to this.",
        why="Up to 1 px where some pictures are not sharp; small images lose what they show.",
        unit="px",
        within=(0, 10),
    )
    noise: float = plan_field(
        0.0,
        label="Noise",
        help="Standard deviation of noise, as a share of full brightness.",
        why="As in DIGITS, where 3 % was advised.",
        unit="%",
        within=(0, 100),
    )
    erasing: float = plan_field(
        0.0,
        label="Erasing",
        help="Covers a rectangle of up to this share of the image with its mean color.",
        why="10 to 20 % makes the network look at more than one spot; good where "
        "things are partly hidden.",
        unit="%",
        within=(0, 90),
    )
    rand_augment: float = plan_field(
        0.0,
        label="RandAugment",
        help="Strength of two changes drawn from a list of fourteen; 0 is off.",
        why="A good start with photographs is 5 to 9, instead of setting each "
        "change by hand; off for digits and drawings.",
        within=(0, 10),
    )
    aug_mix: float = plan_field(
        0.0,
        label="AugMix",
        help="Strength of three chains of changes that are blended; 0 is off.",
        why="Makes networks robust against poor pictures; 3 is usual.",
        within=(0, 10),
    )
    mix_up: float = plan_field(
        0.0,
        label="MixUp",
        help="Blends pairs of images and their labels; 0 is off.",
        why="0.2 is usual; larger values blend more evenly. Accuracy in training looks low.",
        within=(0, 10),
    )
    cut_mix: float = plan_field(
        0.0,
        label="CutMix",
        help="Pastes a part of another image, and mixes the labels by area; 0 is off.",
        why="1 is usual. Accuracy in training looks low.",
        within=(0, 10),
    )
    subtract_mean: Mean = plan_field(
        "none",
        label="Subtract mean",
        help="The network subtracts the mean of the training images.",
        why="As networks of the time of DIGITS and Caffe did; networks with batch "
        "normalization gain little.",
        labels={"none": "No", "pixel": "Mean color", "image": "Mean image"},
    )
    whitening: bool = plan_field(
        False,
        label="Whitening",
        help="The network gives every image the mean 0 and the standard deviation 1.",
        why="For pictures whose lighting differs a lot.",
    )

    place: Place = plan_field(
        "auto",
        label="Computed on",
        help="Device that changes the images: the processor, or the device that trains.",
        why="Automatic: a GPU if there is one. Blur, noise, erasing, policies and mixing always "
        "run on the processor, and everything else in the plan with them.",
        labels={"auto": "Automatic", "host": "Processor", "device": "Training device"},
    )

    @property
    def host_only(self) -> list[str]:
        """Fields that are on and that only the host can do, because they are not linear."""
        return [name for name in _HOST_ONLY if getattr(self, name)]


# What in an augmentation plan cannot be, or does nothing, with the images at hand.


def check_augmentation(
    plan: AugmentationPlan, shape: tuple[int, int, int], batch_size: int
) -> list[Problem]:
    """Hold a plan against the images and batches that it is for.

    Args:
        plan: The plan.
        shape: Height, width and channels of the images.
        batch_size: Images per batch.

    Returns:
        Problems, with `where` inside the plan; those that are not serious are advice.
    """
    height, width, channels = shape
    problems = []
    if plan.crop > min(height, width):
        problems.append(
            Problem(
                "crop",
                f"a square of {plan.crop} pixels does not fit into images of {width}x{height}.",
                f"Use at most {min(height, width)}, or 0 for no crop.",
            )
        )
    if channels == 1:
        problems += [
            Problem(name, f"{name} does nothing to gray images.", "Set it to 0.", serious=False)
            for name in ("hue", "saturation")
            if getattr(plan, name)
        ]
    if plan.place == "device" and plan.host_only:
        names = ", ".join(plan.host_only)
        problems.append(
            Problem(
                "place",
                f"augmentation runs on the processor: the training device can't do {names}.",
                f"Set {names} to 0, or set place to auto.",
                serious=False,
            )
        )
    if batch_size == 1:
        problems += [
            Problem(
                name, "with one image per batch nothing is mixed.", "Use larger batches.", False
            )
            for name in ("mix_up", "cut_mix")
            if getattr(plan, name)
        ]
    return problems


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


PRESETS: Registry[Preset] = Registry(
    "augmentation preset",
    [
        Preset("off", "Off", "Images as they are.", {}),
        Preset(
            "light",
            "Light",
            "Small turns, moves and changes of light; safe for most pictures, also of digits.",
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
