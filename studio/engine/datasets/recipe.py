"""What was asked of an import: where the images are, and what is made of them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from studio.engine.plans import Plan, plan_field

Color = Literal["rgb", "gray"]
ResizeMode = Literal["squash", "crop", "fill", "half_crop"]
LARGEST_SIDE = 4096


class DatasetRecipe(Plan):
    """How a folder of pictures becomes a dataset.

    `source` is the absolute path of the images. The same recipe on the same files gives the same
    dataset, byte for byte.
    """

    version: Literal[1] = 1
    source: str = plan_field(
        label="Images", help="A folder that holds one folder of images per class.", level="hidden"
    )
    width: int = plan_field(
        64,
        label="Width",
        help="Width of every image after import.",
        why="Larger keeps detail and costs time: twice the side is four times the work.",
        unit="px",
        ge=1,
        le=LARGEST_SIDE,
    )
    height: int = plan_field(
        64,
        label="Height",
        help="Height of every image after import.",
        unit="px",
        ge=1,
        le=LARGEST_SIDE,
    )
    color: Color = plan_field(
        "rgb",
        label="Color",
        help="Keep color, or make every image gray.",
        why="Gray is three times smaller and enough where color carries no meaning.",
        labels={"rgb": "Color", "gray": "Gray"},
    )
    resize: ResizeMode = plan_field(
        "squash",
        label="Resize",
        help="How an image of another shape is fitted.",
        why="Squash keeps everything and distorts; crop keeps shapes and loses the borders; "
        "fill keeps both and adds a border; half crop is between the two.",
        labels={
            "squash": "Squash (stretch to fit)",
            "crop": "Crop the longer side",
            "fill": "Fill with the background",
            "half_crop": "Half crop, half fill",
        },
    )
    background: str = plan_field(
        "#ffffff",
        label="Background",
        help="Color behind transparent pixels and around filled images, as #rrggbb.",
        level="expert",
    )
    val_percent: float = plan_field(
        20.0,
        label="Validation",
        help="Share of the images that measures the network while it trains.",
        unit="%",
        ge=0,
        lt=100,
    )
    test_percent: float = plan_field(
        10.0,
        label="Test",
        help="Share of the images that is kept away from training until the end.",
        unit="%",
        ge=0,
        lt=100,
    )
    seed: int = plan_field(
        0,
        label="Seed",
        help="The same seed gives the same split.",
        level="expert",
        ge=0,
        le=2**31 - 1,
    )

    @model_validator(mode="after")
    def _check_percentages(self) -> Self:
        total = self.val_percent + self.test_percent
        if total >= 100:
            raise ValueError(
                f"validation and test take {total:g} % together, which leaves nothing to train on"
            )
        return self

    @model_validator(mode="after")
    def _check_background(self) -> Self:
        text = self.background.removeprefix("#")
        if len(text) != 6 or any(char not in "0123456789abcdefABCDEF" for char in text):
            raise ValueError(f"the background is written #rrggbb; received {self.background!r}")
        return self

    @property
    def channels(self) -> int:
        """1 for gray, 3 for color."""
        return 1 if self.color == "gray" else 3

    @property
    def background_rgb(self) -> tuple[int, int, int]:
        """The background as three numbers from 0 to 255."""
        text = self.background.removeprefix("#")
        return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)
