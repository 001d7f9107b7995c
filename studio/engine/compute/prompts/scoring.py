"""Scores of texts for pictures that are being labeled, in the engine host."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import keras
import numpy as np

from studio.engine.arrays import Features, Floats
from studio.engine.baselines.cache import FeatureCache, FeatureKey, digest_of
from studio.engine.compute.build import build
from studio.engine.compute.features import BATCH, file_digest
from studio.engine.compute.labeling import loaded_pixels
from studio.engine.compute.models import RecentlyUsed, score
from studio.engine.compute.preset_reader import Values
from studio.engine.compute.prompts.text_encoder import TextEncoder, read_text_encoder, unit
from studio.engine.compute.vision_transformer import IMAGE_LAYER
from studio.engine.compute.weights import load_weights
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.labeling.questions import PromptsAnswer, PromptsRequest
from studio.engine.messages import as_message
from studio.engine.networks.parts import INNER
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import zoo_name_of
from studio.engine.progress import SilentProgress
from studio.engine.training.transformer_files import transformer_file
from studio.engine.workspace import Workspace

_OUTPUTS = 2
"""Outputs of a head that is cut off."""
_RESIZE = "crop"
"""The weights saw the middle of each image."""


class _Encoders:
    """The parts of a preset that read texts and images."""

    def __init__(self, request: PromptsRequest) -> None:
        weights = Path(request.weights)
        self.texts = read_text_encoder(weights, [Path(each) for each in request.files])
        found = transformer_file(weights)
        backbone = None if found is None else found.backbone
        if backbone is None:
            raise StudioError(
                "The weights {file} belong to no network that Studio knows.",
                "Choose one of the presets in the library.",
                "texts",
                file=weights,
            )
        side = self.texts.side
        self.recipe = DatasetRecipe(source="", width=side, height=side, resize=_RESIZE)
        spec = ZOO[zoo_name_of(backbone.name)].build((side, side, 3), _OUTPUTS)
        model = build(spec, seed=0)
        workspace = Workspace(Path(request.workspace), read_only=True)
        load_weights(model, spec, str(weights), workspace, SilentProgress())
        node = next(node for node in spec.nodes if node.layer == "backbone")
        image = model.get_layer(f"{node.id}{INNER}{IMAGE_LAYER}").output
        self._network = keras.Model(model.inputs, image)
        self.label = as_message(backbone.label)
        self.digest = file_digest(weights)

    def key(self, labeling: str) -> FeatureKey:
        """Return the cache key of the features of the pictures of a labeling."""
        return FeatureKey(
            dataset=labeling,
            images="images of a labeling as they are shown",
            network=digest_of("compared with texts", str(self.texts.side), _RESIZE),
            weights=self.digest,
            shape=(int(self.texts.features([""]).shape[1]),),
            label=self.label,
        )

    def features(self, request: PromptsRequest, items: tuple[int, ...]) -> Features:
        """Return features of pictures, of length 1; zeros for those that cannot be read."""
        file_of = dict(zip(request.items, request.pictures, strict=True))
        failed: list[int] = []
        pixels = loaded_pixels(
            items, [file_of[item] for item in items], request.folder, self.recipe, failed
        )
        parts = []
        for start in range(0, len(pixels), BATCH):
            part = pixels[start : start + BATCH]
            # Always the same size: a batch of another size would be compiled again.
            padded = np.resize(part, (BATCH, *part.shape[1:]))
            parts.append(score(self._network, padded)[: len(part)])
        values = self.texts.compared(np.concatenate(parts))
        values[np.isin(items, failed)] = 0
        return values


class PromptScorer:
    """Answers requests for scores; the networks stay loaded between them."""

    def __init__(self) -> None:
        self._encoders = RecentlyUsed[_Encoders](1)
        self._texts = RecentlyUsed[Values](2)

    def answer(self, request: PromptsRequest) -> PromptsAnswer:
        """Compute the probability of each class for some pictures.

        Features of pictures are added to the cache.

        Raises:
            StudioError: The preset knows no texts, or a package is missing.
            BadDataError: A file is damaged.
            DiskFullError: There is no space left to keep the features.
        """
        preset = (request.weights, request.files)
        encoders = self._encoders.get(preset, partial(_Encoders, request))
        classes = self._texts.get(
            (*preset, request.texts), partial(class_features, encoders.texts, request.texts)
        )
        cache, key = FeatureCache.of(Path(request.workspace)), encoders.key(request.labeling)
        wanted = np.array(request.items, np.int64)
        missing = cache.open(key).missing(wanted)
        if len(missing):
            values = encoders.features(request, tuple(missing.tolist()))
            cache.make_room(key, len(values))
            cache.add(key, missing, values)
        images = cache.open(key)[wanted]
        found = probabilities(images, classes, encoders.texts.scale)
        is_read = np.any(images != 0, axis=1)
        return PromptsAnswer(
            label=encoders.label,
            probabilities=tuple(
                tuple(row) if known else ()
                for row, known in zip(found.tolist(), is_read.tolist(), strict=True)
            ),
        )


def class_features(encoder: TextEncoder, texts: tuple[tuple[str, ...], ...]) -> Values:
    """Return features of classes, the mean over the texts of each, of length 1, shape (K, D).

    A. Radford et al., "Learning transferable visual models from natural language supervision",
    2021, section 3.1.4.

    Args:
        encoder: Reads the texts.
        texts: Texts of each class.
    """
    return unit(np.stack([encoder.features(each).mean(axis=0) for each in texts]))


def probabilities(images: Values, classes: Values, scale: float) -> Floats:
    """Return the softmax of scaled cosines, shape (n, K).

    Args:
        images: Features of images, of length 1, shape (n, D).
        classes: Features of classes, of length 1, shape (K, D).
        scale: Factor of the cosines.
    """
    scores = scale * (images @ classes.T).astype(np.float64)
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found
