"""All verbs of the command line, in the order of `studio --help`.

Only names: the module of a verb is imported when the verb is called, see `Verb.source`.
"""

from __future__ import annotations

from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError


def _refuse_gui(_session: Session) -> object:
    """`gui`, and no verb at all, come this far only with options: see studio/__main__.py."""
    raise StudioError(
        "The window accepts files to open and the option --workspace.", "Try: studio gui"
    )


VERBS: tuple[Verb, ...] = (
    Verb("gui", "open the window", run=_refuse_gui),
    Verb("demo", "import, train, evaluate and export on handwritten digits", source="demo:run"),
    Verb("datasets", "import, browse and edit datasets", source="datasets"),
    Verb("label", "label images, and make datasets of them", source="label"),
    Verb("baseline", "estimate achievable accuracy in about a minute", source="baseline:run"),
    Verb("networks", "list and inspect network architectures", source="networks"),
    Verb("models", "list, download and import pretrained models", source="models"),
    Verb(
        "preflight",
        "estimate time, memory and learning rate before training",
        source="preflight:run",
    ),
    Verb("train", "train a network on a dataset", source="train:run"),
    Verb("runs", "list, compare, pause and resume training runs", source="runs"),
    Verb("sweep", "search hyperparameters with many training runs", source="sweeps:run"),
    Verb("sweeps", "list, control and extend sweeps", source="sweeps"),
    Verb(
        "queue",
        "show running and waiting jobs, and change their order",
        source="queue",
    ),
    Verb("logs", "print the log of a job, or follow it", source="logs:run"),
    Verb("machines", "add and check machines that train over ssh", source="machines"),
    Verb("trash", "list, restore and delete records in the trash", source="trash"),
    Verb(
        "evaluate", "evaluate a model on a split, with confidence intervals", source="evaluate:run"
    ),
    Verb("evaluations", "list and show evaluations", source="evaluations"),
    Verb("predict", "predict the classes, labels or numbers of images", source="predict:run"),
    Verb("embed", "compute features of images and a 2-D map", source="embed:run"),
    Verb("export", "export a model to formats that run without Studio", source="export:run"),
    Verb("exports", "list and show exports", source="exports"),
    Verb("bench", "benchmark the devices of this machine", source="bench"),
    Verb("doctor", "check drivers, devices, memory and packages", source="doctor:run"),
    Verb("serve", "serve a model or the workspace over HTTP", source="serve:run"),
    Verb("tokens", "create and remove tokens of a served workspace", source="tokens"),
    Verb("plugins", "list what other packages add, and check it", source="plugins:run"),
    Verb("completion", "print the completion script of a shell", source="completion:run"),
    Verb("help", "show a topic of the manual, or the glossary", source="help:run"),
)
