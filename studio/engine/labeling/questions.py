"""Questions to the engine host: features of pictures of a labeling, and scores of texts."""

from __future__ import annotations

from pydantic import BaseModel

from studio.engine.messages import Text

OPERATION = "label_features"
PROMPTS_OPERATION = "label_prompts"


class FeaturesRequest(BaseModel, frozen=True):
    """Compute and cache features of some pictures; without pictures, only describe the features.

    Attributes:
        workspace: Folder of the workspace, with runs, weights and the cache.
        labeling: Id of the labeling.
        items: Numbers of the pictures.
        files: Their files.
        folder: Folder of the record, whose colors and contrast show them.
        side: Side of the square that the network gets, in pixels.
        network: Name of the network; empty for the best that is available without a download.
        weights: As in a plan of a baseline: `imagenet`, a file, or `run:ID`; empty as above.
    """

    workspace: str
    labeling: str
    items: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    folder: str = ""
    side: int = 224
    network: str = ""
    weights: str = ""


class FeaturesAnswer(BaseModel, frozen=True):
    """Location of the features.

    Attributes:
        key: `FeatureKey` of the cache as JSON; rows are numbers of pictures.
        label: Origin of the features, as displayed.
        failed: Numbers of the pictures that cannot be read; their features are zeros.
        seconds: Time that it took.
    """

    key: str
    label: Text
    failed: tuple[int, ...] = ()
    seconds: float = 0.0


class PromptsRequest(BaseModel, frozen=True):
    """Compare pictures with texts about the classes.

    Attributes:
        workspace: Folder of the workspace, with the cache.
        labeling: Id of the labeling.
        items: Numbers of the pictures.
        pictures: Their files.
        folder: Folder of the record, whose colors and contrast show them.
        weights: File of the weights of CLIP or SigLIP.
        files: Files of its vocabulary.
        texts: Texts of each class.
    """

    workspace: str
    labeling: str
    items: tuple[int, ...]
    pictures: tuple[str, ...]
    folder: str
    weights: str
    files: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]


class PromptsAnswer(BaseModel, frozen=True):
    """Probabilities of the classes.

    Attributes:
        label: The network, as displayed.
        probabilities: Of each picture one for each class, in their order; empty for a picture
            that cannot be read.
    """

    label: Text
    probabilities: tuple[tuple[float, ...], ...]
