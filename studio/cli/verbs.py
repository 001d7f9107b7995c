"""All verbs of the command line, in the order of `studio --help`."""

from studio.cli.datasets import DATASETS
from studio.cli.demo import DEMO
from studio.cli.evaluate import EVALUATE
from studio.cli.export import EXPORT
from studio.cli.networks import NETWORKS
from studio.cli.predict import PREDICT
from studio.cli.runs import RUNS
from studio.cli.train import TRAIN
from studio.cli.verb import Verb

# `gui`, and no verb at all, never come this far: see studio/__main__.py.
GUI = Verb("gui", "open the window")

VERBS: tuple[Verb, ...] = (
    GUI,
    DEMO,
    DATASETS,
    NETWORKS,
    TRAIN,
    RUNS,
    EVALUATE,
    PREDICT,
    EXPORT,
)
