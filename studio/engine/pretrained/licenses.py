"""Licenses of code, weights and training images: what each allows, in one sentence.

A sentence helps to choose; the text of the license decides. To add one: an entry in `LICENSES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from studio.engine.registry import Registry


class Use(StrEnum):
    """The use that a license allows."""

    COMMERCIAL = "commercial"
    RESEARCH = "research"
    SHARE_SOURCE = "share_source"
    OWN_TERMS = "own_terms"
    UNKNOWN = "unknown"


USE_LABELS: dict[Use, str] = {
    Use.COMMERCIAL: "Commercial use",
    Use.RESEARCH: "Research only",
    Use.SHARE_SOURCE: "Share your source",
    Use.OWN_TERMS: "Terms of its own",
    Use.UNKNOWN: "Not stated",
}
"""Shown names of the uses."""


@dataclass(frozen=True, slots=True)
class License:
    """A license, or the terms of a set of images.

    Attributes:
        name: Stable name, as in `sources.toml`; an SPDX identifier in lower case if there is one.
        label: Shown name.
        use: The use that it allows.
        sentence: What that means, in one sentence.
    """

    name: str
    label: str
    use: Use
    sentence: str


LICENSES: Registry[License] = Registry(
    "license",
    [
        License(
            "apache-2.0",
            "Apache 2.0",
            Use.COMMERCIAL,
            "You may use it commercially; keep the license text.",
        ),
        License(
            "mit", "MIT", Use.COMMERCIAL, "You may use it commercially; keep the license text."
        ),
        License(
            "bsd-3-clause",
            "BSD 3-Clause",
            Use.COMMERCIAL,
            "You may use it commercially; keep the license text.",
        ),
        License(
            "cc-by-4.0",
            "CC BY 4.0",
            Use.COMMERCIAL,
            "You may use it commercially; name the authors.",
        ),
        License(
            "cc-by-nc-4.0",
            "CC BY-NC 4.0",
            Use.RESEARCH,
            "You may not use it commercially.",
        ),
        License(
            "agpl-3.0",
            "AGPL 3.0",
            Use.SHARE_SOURCE,
            "You must publish the source of what you build with it, even of a web service.",
        ),
        License(
            "dinov3",
            "DINOv3 License",
            Use.OWN_TERMS,
            "You may use it commercially under the terms of Meta, which you must accept, pass on "
            "and follow.",
        ),
        License(
            "imagenet",
            "ImageNet",
            Use.RESEARCH,
            "The images may be used for research only; the publishers of the weights do not pass "
            "that limit on.",
        ),
        License(
            "flickr-images",
            "Images from Flickr",
            Use.OWN_TERMS,
            "Each image has its own license, some without commercial use; the annotations are "
            "CC BY 4.0.",
        ),
        License(
            "web-images",
            "Images of the web",
            Use.UNKNOWN,
            "The images were collected on the web and are not published; their owners were not "
            "asked.",
        ),
        License(
            "sa-1b",
            "SA-1B",
            Use.RESEARCH,
            "The images may be used for research only; the weights are published without that "
            "limit.",
        ),
        License(
            "own",
            "Your own",
            Use.COMMERCIAL,
            "You trained it; the terms of its images and of the weights that it started from "
            "apply.",
        ),
        License(
            "not-stated",
            "Not stated",
            Use.UNKNOWN,
            "No license is stated; ask the source of the files before you use them commercially.",
        ),
    ],
)


@dataclass(frozen=True, slots=True)
class Passport:
    """Licenses of a source.

    Attributes:
        code: License of the code that the network comes from.
        weights: License of the weights.
        data: Terms of the images that the weights were trained on.
    """

    code: License
    weights: License
    data: License

    @property
    def is_commercial(self) -> bool:
        """True if code and weights may be used commercially without publishing anything.

        Terms of the images are shown, but do not count: publishers of weights grant their use.
        """
        return {self.code.use, self.weights.use} == {Use.COMMERCIAL}

    def parts(self) -> tuple[tuple[str, License], ...]:
        """Return the three licenses, each with the key of what it is about."""
        return ("code", self.code), ("weights", self.weights), ("data", self.data)

    def to_json(self) -> dict[str, dict[str, str]]:
        """Return the passport as data, as it is stored with runs and exports."""
        return {
            part: {
                "license": each.name,
                "label": each.label,
                "use": each.use.value,
                "sentence": each.sentence,
            }
            for part, each in self.parts()
        }
