"""Proposals of classes by texts such as "a photo of a cat".

CLIP and SigLIP compare them with images. They need no label. How often they are right is measured
on the first labels, before many of them are accepted at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.certain import certain_limit, is_judged
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import MIN_LABELS, CertainLimit, Proposal
from studio.engine.labeling.questions import PROMPTS_OPERATION, PromptsAnswer, PromptsRequest
from studio.engine.messages import as_message, message
from studio.engine.pretrained.sources import SOURCES, TEMPLATES, PretrainedSource
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.proportions import wilson

NAME: Final = "{name}"
_PART: Final = 64
_WEIGHTS: Final = "model.weights.h5"
_ENDINGS: Final = (".json", ".txt", ".spm")
_TOKENIZER: Final = ("assets", "tokenizer")


@dataclass(frozen=True, slots=True)
class Prompts:
    """Texts about the classes, and the network that compares them with images.

    Attributes:
        weights: Weights of CLIP or SigLIP.
        files: Files of its vocabulary.
        templates: Texts with `{name}` for the name of a class.
        words: Other words for the names of classes, for example in English.
    """

    weights: Path
    files: tuple[Path, ...]
    templates: tuple[str, ...] = TEMPLATES["en"]
    words: Mapping[str, str] = field(default_factory=dict)

    def texts(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Return the texts of each class.

        Args:
            names: Names of the classes.

        Examples:
            >>> Prompts(Path("w.h5"), ()).texts(["cat"])
            (('a photo of a cat.', 'an image of a cat.', 'cat'),)
        """
        words = [self.words.get(name, name).replace("_", " ") for name in names]
        return tuple(tuple(each.replace(NAME, word) for each in self.templates) for word in words)


@dataclass(frozen=True, slots=True)
class PromptsMeasure:
    """Accuracy of proposals by texts on the labels of people.

    Attributes:
        right: Number of labels that were proposed.
        count: Number of labels.
        limit: From where on proposals are certain; None if no threshold is precise enough.
    """

    right: int
    count: int
    limit: CertainLimit | None

    @property
    def sentence(self) -> str:
        """The measure as a sentence."""
        if self.count < MIN_LABELS:
            return message(
                "{count} more labels measure how often the texts are right.",
                one="One more label measures how often the texts are right.",
                count=MIN_LABELS - self.count,
            )
        low, high = wilson(self.right, self.count)
        return message(
            "The texts propose the right class for {right:,} of {count:,} labeled images "
            "({low:.0f} to {high:.0f} %).",
            right=self.right,
            count=self.count,
            low=100 * low,
            high=100 * high,
        )


def text_sources() -> list[PretrainedSource]:
    """Return the sources that know texts and are on this machine."""
    store = PretrainedStore()
    return [each for each in SOURCES if each.kind == "texts" and store.state(each) == "here"]


def prompts_of(
    name: str,
    language: str = "",
    templates: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
) -> Prompts:
    """Return prompts for a network.

    Args:
        name: Name of a source of texts in the library, or a folder with a preset of KerasHub.
        language: Language of the templates, a key of `TEMPLATES`; empty for all that the network
            knows.
        templates: Own templates in place of these.
        words: Other words for the names of classes.

    Raises:
        StudioError: There is no such source or folder, its files are missing, or a template names
            no class.
    """
    for each in templates:
        if NAME not in each:
            raise StudioError(
                "The template {template} does not name the class.",
                message("Write {sign} where the name of the class belongs.", sign=NAME),
                "template",
                template=repr(each),
            )
    weights, files = _files_of(name)
    known = SOURCES[name].languages if name in SOURCES else ("en",)
    languages = (language,) if language else known
    usual = dict.fromkeys(text for each in languages for text in TEMPLATES[each])
    return Prompts(weights, files, tuple(templates) or tuple(usual), dict(words or {}))


def _files_of(name: str) -> tuple[Path, tuple[Path, ...]]:
    folder = Path(name).expanduser()
    if folder.is_dir():
        inner = [folder, folder.joinpath(*_TOKENIZER)]
        found = [
            path
            for each in inner
            if each.is_dir()
            for path in sorted(each.iterdir())
            if path.suffix in _ENDINGS and path.stem in ("vocabulary", "merges")
        ]
        weights = folder / _WEIGHTS
        if not found or not weights.is_file():
            raise StudioError(
                "{folder} is not the preset of a network that knows texts.",
                "Choose a folder with model.weights.h5 and the vocabulary of CLIP or SigLIP.",
                "texts",
                folder=folder,
            )
        return weights, tuple(found)
    source = SOURCES[name]
    if source.kind != "texts":
        raise StudioError(
            "{network} knows no texts.",
            message(
                "Choose one of {names}.",
                names=", ".join(each.name for each in SOURCES if each.kind == "texts"),
            ),
            "texts",
            network=as_message(source.label),
        )
    return PretrainedStore().text_files(source)


def text_proposals(
    labeling: Labeling,
    workspace: Path,
    host: EngineHost,
    prompts: Prompts,
    items: Sequence[int],
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Proposal]:
    """Yield proposals by texts; pictures that cannot be read are passed over.

    Args:
        labeling: The labeling.
        workspace: Folder of its workspace.
        host: The engine host.
        prompts: The texts.
        items: Numbers of the pictures.
        is_cancelled: Returns True to end earlier.

    Raises:
        StudioError: The labels are no classes, there are fewer than two, or the preset cannot be
            used.
    """
    learner = labeling.editor.learner
    if learner is None or not labeling.editor.takes_texts:
        raise StudioError(
            "Texts propose classes; this labeling is for another task: {task:lower}.",
            "Use a labeling of images with one class each.",
            "texts",
            task=as_message(labeling.task.label),
        )
    if len(labeling.names) < 2:
        raise StudioError(
            "Texts tell classes apart, and the labeling has fewer than two.",
            "Add the classes first.",
            "classes",
        )
    for at in range(0, len(items), _PART):
        if is_cancelled():
            return
        part = tuple(items[at : at + _PART])
        request = PromptsRequest(
            workspace=str(workspace),
            labeling=labeling.record.id,
            items=part,
            pictures=tuple(str(labeling.file_of(item)) for item in part),
            folder=str(labeling.record.folder),
            weights=str(prompts.weights),
            files=tuple(map(str, prompts.files)),
            texts=prompts.texts(labeling.names),
        )
        answer = host.ask(PROMPTS_OPERATION, request, PromptsAnswer).result()
        for item, found in zip(part, answer.probabilities, strict=True):
            if found:
                yield learner.proposed(item, np.array(found))


def measured(
    labeling: Labeling, workspace: Path, host: EngineHost, prompts: Prompts
) -> PromptsMeasure:
    """Measure texts on the labels that people decided one by one; see `text_proposals`."""
    labels = dict(labeling.labels)
    count = len(labeling.names)
    judged = [
        item for item, each in labels.items() if is_judged(each) and each.value.is_usable(count)
    ]
    found = list(text_proposals(labeling, workspace, host, prompts, judged))
    values = [labels[each.item].value for each in found]
    right = sum(each.value == value for each, value in zip(found, values, strict=True))
    return PromptsMeasure(right, len(found), certain_limit(found, values))
