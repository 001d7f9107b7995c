"""All verbs of the command line, in the order of `studio --help`."""

from studio.cli.baseline import BASELINE
from studio.cli.bench import BENCH
from studio.cli.datasets import DATASETS
from studio.cli.demo import DEMO
from studio.cli.doctor import DOCTOR
from studio.cli.embed import EMBED
from studio.cli.evaluate import EVALUATE
from studio.cli.export import EXPORT
from studio.cli.help import HELP
from studio.cli.networks import NETWORKS
from studio.cli.predict import PREDICT
from studio.cli.preflight import PREFLIGHT
from studio.cli.queue import QUEUE
from studio.cli.runs import RUNS
from studio.cli.serve import SERVE
from studio.cli.sweep import SWEEP
from studio.cli.sweeps import SWEEPS
from studio.cli.train import TRAIN
from studio.cli.trash import TRASH
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError


def _refuse_gui(_session: Session) -> object:
    """`gui`, and no verb at all, come this far only with options: see studio/__main__.py."""
    raise StudioError("The window takes no option but --workspace.", "Try: studio gui")


GUI = Verb("gui", "open the window", run=_refuse_gui)

VERBS: tuple[Verb, ...] = (
    GUI,
    DEMO,
    DATASETS,
    BASELINE,
    NETWORKS,
    PREFLIGHT,
    TRAIN,
    RUNS,
    SWEEP,
    SWEEPS,
    QUEUE,
    TRASH,
    EVALUATE,
    PREDICT,
    EMBED,
    EXPORT,
    BENCH,
    DOCTOR,
    SERVE,
    HELP,
)
