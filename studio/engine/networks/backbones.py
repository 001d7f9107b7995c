"""Published networks, what their ImageNet weights expect of pixels, and the cache of weights.

Never imports Keras: `studio.engine.compute.keras_files` asks it where the weights are. The
folder of the cache is that of the user's caches, or `STUDIO_WEIGHTS`.

To add a backbone: a line under its paper in `assets/networks/backbones.toml`. The layer, a network
of the zoo, an entry of the library and tests follow; then
`python -m studio.engine.compute.keras_files`.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import platformdirs
from filelock import FileLock, Timeout
from pydantic import BaseModel

from studio.engine import files
from studio.engine.assets import asset
from studio.engine.errors import StudioError
from studio.engine.progress import Progress
from studio.engine.registry import Registry

IMAGENET = "imagenet"
"""Name in a plan of the weights that come with a backbone."""

_TABLE = "networks/backbones.toml"
"""All of them, in `assets/`."""

CAFFE_MEAN = (123.68, 116.779, 103.939)
"""Mean color of ImageNet, red, green, blue, 0 to 255, as Caffe's networks subtract it."""

TORCH_MEAN = (0.485, 0.456, 0.406)
TORCH_DEVIATION = (0.229, 0.224, 0.225)
"""Mean and standard deviation of the colors of ImageNet, 0 to 1, as those of PyTorch use them."""

CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
CLIP_DEVIATION = (0.26862954, 0.26130258, 0.27577711)
"""Mean and standard deviation of the colors of CLIP's images, 0 to 1."""

Preprocessing = Literal["tf", "tf_128", "caffe", "torch", "torch_times_255", "clip"]
"""Preprocessing that the weights expect: pixels from -1 to 1; divided by 128, less 1; less the
mean color; standardized colors; these times 255, where Keras divides by 255 inside of the
backbone; or colors standardized as CLIP's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchTransformer:
    """Sizes of a transformer whose tokens are patches, all of which attend to each other.

    Attributes:
        patch: Side of a patch in pixels.
        width: Number of features of each token.
        depth: Number of blocks.
        heads: Heads of each attention.
        hidden: Units in the middle of each block.
        prefix: Number of tokens before those of the patches: the class token and registers.
        epsilon: Of all normalizations.
    """

    patch: int
    width: int
    depth: int
    heads: int
    hidden: int
    prefix: int
    epsilon: float

    @property
    def in_shapes(self) -> tuple[int, ...]:
        """The sizes that the shapes of its weights show; patch, width and depth come first."""
        return self.patch, self.width, self.depth, self.heads, self.hidden, self.prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformer(PatchTransformer):
    """Size and kind of a vision transformer; see `compute.vision_transformer`.

    Attributes:
        family: How its preset names the weights.
        activation: In the middle of each block.
        is_normalized_first: True if tokens are normalized before the first block.
        is_pooled: True if attention sums up the image, because there is no class token.
    """

    family: Literal["dinov2", "siglip", "clip", "vit"]
    activation: str
    is_normalized_first: bool
    is_pooled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RotaryTransformer(PatchTransformer):
    """Size of a vision transformer with rotary positions; see `compute.rotary_transformer`.

    Attributes:
        family: How its preset names the weights.
    """

    family: Literal["dinov3"]

    @property
    def in_shapes(self) -> tuple[int, ...]:
        """The sizes that the shapes of its weights show: its kernels are not split by heads."""
        return self.patch, self.width, self.depth, self.hidden, self.prefix


@dataclass(frozen=True, slots=True)
class WindowTransformer:
    """Size of a transformer whose attention stays in windows; see `compute.window_transformer`.

    Attributes:
        family: How its preset names the weights.
        patch: Side of a patch in pixels.
        width: Number of features of each token in the first stage; doubled by each further one.
        depths: Number of blocks of each stage.
        heads: Heads of each attention of each stage.
        expansion: Units in the middle of a block, as a multiple of its features.
        window: Side of a window in tokens.
        epsilon: Of all normalizations.
    """

    family: Literal["swin"]
    patch: int
    width: int
    depths: tuple[int, ...]
    heads: tuple[int, ...]
    expansion: int
    window: int
    epsilon: float

    @property
    def in_shapes(self) -> tuple[int, ...]:
        """The sizes that the shapes of its weights show; patch, width and window come first."""
        return self.patch, self.width, self.window, self.expansion, *self.depths, *self.heads


TransformerSizes = Transformer | RotaryTransformer | WindowTransformer
"""Sizes of a backbone that is built by Studio, not by Keras."""

Family = Literal["dinov2", "siglip", "clip", "vit", "dinov3", "swin"]
"""Families of presets of KerasHub, by how they name the weights."""

_SIZES: Mapping[str, Callable[..., TransformerSizes]] = {
    "dinov3": RotaryTransformer,
    "swin": WindowTransformer,
}


def _sizes(values: Mapping[str, Any]) -> TransformerSizes:
    """Return the sizes in a row of the table, whose lists become tuples."""
    arguments: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return _SIZES.get(values["family"], Transformer)(**arguments)


@dataclass(frozen=True, slots=True)
class Backbone:
    """A network of `keras.applications`, or a transformer.

    Figures are those of Keras' page of applications, for 1,000 classes and the usual size;
    accuracy is that of the first answer on the validation images of ImageNet.

    Attributes:
        name: Stable name, as in files.
        label: Shown name.
        keras_function: Name of the function of `keras.applications` that builds it; empty for a
            transformer.
        year: Year of publication.
        paper: Authors and publication.
        parameters: Number of weights with its head.
        accuracy: Share from 0 to 1; None where Keras states none.
        megabytes: Size of its weights with its head; None where Keras states none.
        preprocessing: Preprocessing that its weights expect.
        usual: Side of the images that the weights saw, in pixels.
        smallest: Smallest side of an image that it takes, in pixels.
        switches_preprocessing: True where Keras' preprocessing must be switched off.
        license: License of its weights, a name of `pretrained.licenses`.
        data: Terms of the images that they were trained on, the same.
        transformer: Sizes of a transformer; None for networks of Keras.
    """

    name: str
    label: str
    keras_function: str
    year: int
    paper: str
    license: str
    parameters: int
    accuracy: float | None
    megabytes: float | None
    preprocessing: Preprocessing
    usual: int = 224
    smallest: int = 32
    switches_preprocessing: bool = False
    data: str = "imagenet"
    transformer: TransformerSizes | None = None


def _published() -> Iterator[Backbone]:
    """Read the table of the networks, paper by paper."""
    for paper in tomllib.loads(asset(_TABLE).read_text("utf-8"))["paper"]:
        sizes = paper.pop("transformer", None)
        transformer = None if sizes is None else _sizes(sizes)
        for name, label, function, parameters, *figures, usual in paper.pop("networks"):
            accuracy, megabytes = (None if figure == "-" else float(figure) for figure in figures)
            yield Backbone(
                name=name,
                label=label,
                keras_function="" if function == "-" else function,
                transformer=transformer,
                parameters=parameters,
                accuracy=accuracy,
                megabytes=megabytes,
                usual=usual,
                **paper,
            )


BACKBONES: Registry[Backbone] = Registry("backbone", list(_published()))
STAGES_ASSET = "networks/stages.json"
"""The last layer of each stage of each backbone, see `stage_of`."""
STAGES = (2, 4, 8, 16)
"""Distances of the values of these stages, in pixels of the image."""


def stage_of(backbone: str, stride: int) -> str:
    """Return the end of the stage of a backbone whose values lie `stride` pixels apart.

    Args:
        backbone: Its name.
        stride: One of `STAGES`.

    Returns:
        As in the layer `inside_backbone`; an empty text if no stage has this stride.
    """
    sizes = BACKBONES[backbone].transformer
    if isinstance(sizes, WindowTransformer):
        return _window_stage(sizes, stride)
    if has_one_map(backbone):
        return _PYRAMID.get(stride, "")
    return _stages()[backbone].get(str(stride), "")


def has_one_map(backbone: str) -> bool:
    """Return True for a backbone that computes one map, and beside it features of the image.

    Args:
        backbone: Its name.
    """
    return isinstance(BACKBONES[backbone].transformer, Transformer | RotaryTransformer)


_PYRAMID = {4: "map_4_times", 8: "map_2_times", 16: "map"}
"""Stages of vision transformers, whose only map has about a sixteenth of the image: a simple
feature pyramid (Y. Li et al., ECCV 2022) whose layers with weights are those of the head."""


def _window_stage(sizes: WindowTransformer, stride: int) -> str:
    """Return the last layer of the stage of this stride, as `compute.window_transformer` names it.

    That of the last stage is normalized, and the output of the backbone.
    """
    names = {
        sizes.patch * 2**at: f"stage{at + 1}_block{depth}_add2"
        for at, depth in enumerate(sizes.depths[:-1])
    }
    return names.get(stride, "")


@functools.cache
def _stages() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(asset(STAGES_ASSET).read_text("utf-8"))
    return found


FOLDER_VARIABLE = "STUDIO_WEIGHTS"
WEIGHT_SUFFIXES = (".h5", ".hdf5", ".keras")
"""Endings of weights files that a person may put into the folder."""
_MOST_OWN_FILES = 20
_NOTE = ".json"
_POLL_SECONDS = 0.1


class WeightsDownloadError(StudioError):
    """The weights of a backbone could not be downloaded."""


class WeightSource(BaseModel, frozen=True):
    """Location of the weights of a backbone, as Keras defines it.

    Attributes:
        name: Name of the backbone.
        file: Name of the file.
        address: Address to download it from.
        digest: Its MD5 or SHA-256 in hexadecimal; empty where Keras knows none.
    """

    name: str
    file: str
    address: str
    digest: str = ""


class WeightCache:
    """The folder of downloaded weights; `pretrained.store` downloads and imports them."""

    def __init__(self, folder: Path | None = None) -> None:
        named = os.environ.get(FOLDER_VARIABLE)
        usual = files.user_path(named) if named else default_folder()
        self.folder = folder or usual

    def note(self, source: WeightSource, path: Path) -> None:
        """Note what a file in the folder is, so that it does not count as one of a person.

        Args:
            source: What it is.
            path: The file.
        """
        note = source.model_dump_json(indent=2) + "\n"
        files.write_atomically(path.with_name(path.name + _NOTE), note)

    def own_files(self) -> list[Path]:
        """Return weights files that a person put into the folder, by name."""
        try:
            names = sorted(path.name for path in self.folder.iterdir())
        except OSError:
            return []
        downloaded = {name.removesuffix(_NOTE) for name in names if name.endswith(_NOTE)}
        own = [name for name in names if name.endswith(WEIGHT_SUFFIXES) and name not in downloaded]
        return [self.folder / name for name in own[:_MOST_OWN_FILES]]

    def delete(self, path: Path) -> None:
        """Remove a file of weights with all that was written beside it.

        Args:
            path: The file.

        Raises:
            PermissionError: It is still open.
        """
        beside = (path.with_name(path.name + suffix) for suffix in (_NOTE, files.PARTIAL))
        for each in (path, *beside, _lock_of(path)):
            files.remove(each)


def default_folder() -> Path:
    """Return the default folder of downloaded weights."""
    return platformdirs.user_cache_path("Studio") / "weights"


@contextlib.contextmanager
def alone(path: Path, progress: Progress) -> Iterator[None]:
    """Wait until no other process downloads a file.

    Args:
        path: The file.
        progress: May cancel the wait.

    Raises:
        Cancelled: The job was asked to end.
    """
    lock = FileLock(_lock_of(path), timeout=_POLL_SECONDS)
    while not lock.is_locked:
        progress.check()
        with contextlib.suppress(Timeout):
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _lock_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


DOWNLOAD_FAILED = "The weights of {network} could not be downloaded: {reason}."
