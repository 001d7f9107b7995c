"""Pages of the site that are generated: manual, commands, fields of plans, Python interface.

MkDocs imports this file (`hooks` in mkdocs.yml). The manual is the Markdown that the window shows,
so there is one text; commands and fields come from the parser and the plans themselves, the Python
interface from its docstrings (mkdocstrings).
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import studio
from studio.cli.main import make_parser
from studio.cli.verb import Verb
from studio.cli.verbs import VERBS
from studio.engine.baselines.report import BaselinePlan
from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.manual import TOPICS, read_topic, title_of
from studio.engine.plans import Plan, PlanField, fields_of
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.plan import TrainingPlan

COMMANDS = """\
Every command takes `--workspace DIR` and `--json`. Exit codes: 0 done, 1 internal error, 2 wrong
input, 130 interrupted."""
SETTINGS = """\
Fields of plans: the forms of the window, the options of the command line (`--batch-size` is
`batch_size`; any field with `--set name=value`), the keyword arguments of the Python interface and
the files `plan.json` all have them."""
INTERFACE = """\
All names are in `studio`: `import studio`, then `studio.open(folder)` or
`studio.connect(url, token)`. The guide [Python interface](../guides/python.md) shows them at
work."""
ROOT = Path(__file__).resolve().parents[1]
PLANS: dict[str, type[Plan]] = {
    "Import of a dataset": DatasetRecipe,
    "Training": TrainingPlan,
    "Augmentation": AugmentationPlan,
    "Sweep": SweepPlan,
    "Baseline": BaselinePlan,
    "Evaluation": EvaluationPlan,
    "Export": ExportPlan,
    "Benchmark of training": StudyPlan,
    "Benchmark of predictions": PredictPlan,
    "Benchmark of operations": OperationsPlan,
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the topics of the manual into the navigation."""
    for entry in config.nav or ():
        if isinstance(entry, dict) and "Manual" in entry:
            entry["Manual"] = [f"manual/{name}.md" for name in TOPICS]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and the screenshots."""
    for name in TOPICS:
        files.append(File.generated(config, f"manual/{name}.md", content=_manual(name)))
    pages = {"cli": _commands(), "plans": _plans(), "python": _interface()}
    for name, content in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=content))
    for picture in sorted((ROOT / "assets" / "screenshots").iterdir()):
        path = f"screenshots/{picture.name}"
        files.append(File.generated(config, path, abs_src_path=str(picture)))
    return files


def _manual(name: str) -> str:
    """Return a topic whose references to other topics are links."""
    names = "|".join(TOPICS)
    return re.sub(
        rf"see `({names})`",
        lambda found: f"see [{title_of(found[1])}]({found[1]}.md)",
        read_topic(name),
    )


def _commands() -> str:
    os.environ["COLUMNS"] = "100"  # the width of help texts, which argparse asks for
    lines = ["# Commands", "", COMMANDS, ""]
    for words in _verbs(VERBS):
        usage, _, rest = _help(words).partition("\n\n")
        lines += [f"## studio {' '.join(words)}", "", "```text", usage, "```", ""]
        if rest.strip():
            lines += ["```text", rest.rstrip(), "```", ""]
    return "\n".join(lines)


def _verbs(verbs: Sequence[Verb]) -> Iterator[list[str]]:
    """Yield the words of every command that does something, in their order."""
    for verb in verbs:
        children = verb.loaded().verbs
        if children:
            yield from ([verb.name, *words] for words in _verbs(children))
        else:
            yield [verb.name]


def _help(words: list[str]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.suppress(SystemExit):
        make_parser(words).parse_args([*words, "--help"])
    return text.getvalue()


def _interface() -> str:
    """Return a page with one directive of mkdocstrings for each name of the interface."""
    lines = ["# Python", "", INTERFACE, ""]
    for name in sorted(set(studio.__all__) - {"__version__"}):
        found = getattr(studio, name)
        lines += [f"::: {found.__module__}.{found.__qualname__}"]
        lines += ["    options:", f"      heading: studio.{name}", ""]
    return "\n".join(lines)


def _plans() -> str:
    lines = ["# Settings", "", SETTINGS, ""]
    for title, plan in PLANS.items():
        lines += [f"## {title}", ""]
        for field in fields_of(plan):
            if field.level != "hidden":
                lines += _field(field)
    return "\n".join(lines)


def _field(field: PlanField) -> list[str]:
    facts = [f"default: `{_shown(field.default)}`"]
    if field.unit:
        facts.append(f"unit: {field.unit}")
    if field.choices:
        facts.append("one of " + ", ".join(f"`{choice}`" for choice in field.choices))
    text = " ".join(filter(None, (field.help, field.why)))
    if field.applicable_when is not None:
        text += f" No effect where: {field.applicable_when.reason}."
    return [f"**`{field.name}`** ({field.label}; {'; '.join(facts)})", "", text, ""]


def _shown(value: object) -> str:
    if isinstance(value, Plan):
        return "{}"
    return str(value) if value != "" else '""'
