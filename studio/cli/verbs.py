"""All verbs of the command line, in the order of `studio --help`.

Only names: the module of a verb is imported when the verb is called, see `Verb.source`.
"""

from __future__ import annotations

from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError


def _refuse_gui(_session: Session) -> object:
    """`gui`, and no verb at all, come this far only with options: see studio/__main__.py."""
    raise StudioError("The window takes no option but --workspace.", "Try: studio gui")


VERBS: tuple[Verb, ...] = (
    Verb("gui", "open the window", run=_refuse_gui),
    Verb("demo", "do it all once, on real handwritten digits, in a minute", source="demo:run"),
    Verb("datasets", "import images and look at what was imported", source="datasets"),
    Verb("baseline", "say in about a minute what a dataset promises", source="baseline:run"),
    Verb("networks", "the networks that can be trained", source="networks"),
    Verb(
        "preflight",
        "say what a training would take, and find its learning rate, before it starts",
        source="preflight:run",
    ),
    Verb("train", "train a network on a dataset", source="train:run"),
    Verb("runs", "look at training runs, compare, sort and continue them", source="runs"),
    Verb("sweep", "train with many values of some fields, and find the best", source="sweeps:run"),
    Verb("sweeps", "look at sweeps, steer them, add to them", source="sweeps"),
    Verb(
        "queue",
        "see which job is on which device and what waits, and change the order",
        source="queue",
    ),
    Verb("trash", "list, restore and delete what is in the trash", source="trash"),
    Verb("evaluate", "measure a model on a split, with intervals", source="evaluate:run"),
    Verb("predict", "predict the classes, labels or numbers of pictures", source="predict:run"),
    Verb("embed", "features of images at a layer, and a map of them", source="embed:run"),
    Verb("export", "write a model as files that work without Studio", source="export:run"),
    Verb("bench", "measure what the devices of this machine are worth", source="bench"),
    Verb("doctor", "look whether this machine has what Studio needs", source="doctor:run"),
    Verb("serve", "answer over HTTP with a trained model, on this machine", source="serve:run"),
    Verb("help", "read the manual: one topic, or the glossary", source="help:run"),
)
