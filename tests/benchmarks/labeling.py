"""Decisions until 95 % of 720 pictures have the right label, with assistance and without.

    python tests/benchmarks/labeling.py --data /path/to/cifar10 --weights mobilenet_v2….h5

The pictures are CIFAR-10 test images, 72 of each of its 10 classes; their folders are hidden: they
are added under the number of a random order. A script labels them through the same functions as
the window and `studio label`. **A decision** is one of

* giving one picture its class, whatever was proposed;
* accepting a page of proposals at once, which the script does only if all of them are right.

The first 20 pictures are random. Then the script looks at the page of the most certain proposals.
Where one is wrong, it gives the first wrong picture its true class, upon which the model learns
again and the other proposals of the page change; where all are right, it accepts the page and
looks at the next one. Without assistance each label is a decision, whatever the order.

Measured on 2026-11-27 with MobileNetV2 (5 beginnings): 218 decisions on average, 209 to 228, where
684 are needed without assistance: a ratio of 0.32. With `--single`: 397, a ratio of 0.58. In a
simulation, pages of a single class took about 270: the model then learns the limits of that class
too late.

`--single` compares with a script that labels the most uncertain picture each time, and counts the
proposals for all undecided pictures as labels: when are 95 % of labels and proposals right?
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import numpy as np

from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.assist import Assistant
from studio.engine.labeling.certain import PAGE, most_certain
from studio.engine.labeling.ordering import ordered
from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import MIN_LABELS, Proposal, accept
from studio.engine.labeling.sources import add_pictures
from studio.engine.labeling.values import ClassValue
from studio.engine.workspace import Workspace

PICTURES = 720
SHARE = 0.95


class Script:
    """A person who knows the true class of every picture and makes no mistakes."""

    def __init__(self, labeling: Labeling, assistant: Assistant, truth: list[int]) -> None:
        self.labeling = labeling
        self.assistant = assistant
        self.truth = truth
        self.decisions = 0
        self.pages = 0
        self.seconds: list[float] = []

    def is_right(self, proposal: Proposal) -> bool:
        return proposal.value == ClassValue(index=self.truth[proposal.item])

    def give(self, item: int) -> None:
        self.labeling.label(item, ClassValue(index=self.truth[item]))
        self.decisions += 1

    def begin(self, seed: int) -> None:
        for item in ordered(self.labeling, "random", seed=seed)[:MIN_LABELS]:
            self.give(item)

    def learn(self) -> dict[int, Proposal]:
        began = time.perf_counter()
        found = dict(self.assistant.relearn().proposals)
        self.seconds.append(time.perf_counter() - began)
        return found

    def accept_pages(self, goal: int) -> None:
        """Label until the goal: one page after the other."""
        while self.labeling.labeled_count < goal:
            self.learn()
            size = min(PAGE, goal - self.labeling.labeled_count)
            page = [each.item for each in most_certain(self.assistant.status, size)]
            while page:
                proposals = self.learn()
                shown = [proposals[item] for item in page if item in proposals]
                wrong = next((each for each in shown if not self.is_right(each)), None)
                if wrong is None:
                    if shown:
                        accept(self.labeling, shown, "group")
                        self.decisions += 1
                        self.pages += 1
                    break
                self.give(wrong.item)
                page.remove(wrong.item)

    def label_uncertain(self, goal: int) -> None:
        """Label the most uncertain picture until labels and proposals are right for the goal."""
        while True:
            proposals = self.learn()
            right = sum(map(self.is_right, proposals.values()))
            if self.labeling.labeled_count + right >= goal:
                return
            self.give(ordered(self.labeling, "uncertainty", self.assistant.status)[0])


def hidden_pictures(data: Path, folder: Path, seed: int) -> tuple[list[str], list[int]]:
    """Link pictures into one folder under meaningless names; returns classes and the truth."""
    classes = sorted(path.name for path in (data / "test").iterdir())
    each = PICTURES // len(classes)
    chosen = [
        (file, index)
        for index, name in enumerate(classes)
        for file in sorted((data / "test" / name).iterdir())[:each]
    ]
    random.Random(seed).shuffle(chosen)
    folder.mkdir()
    for number, (file, _) in enumerate(chosen):
        (folder / f"{number:04}{file.suffix}").symlink_to(file.resolve())
    return classes, [index for _, index in chosen]


def measure(data: Path, weights: str, seeds: int, *, single: bool) -> dict[str, object]:
    """Measure the decisions for several random beginnings."""
    goal = int(np.ceil(SHARE * PICTURES))
    results: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as temporary:
        workspace = Workspace.open(Path(temporary) / "workspace")
        host = EngineHost()
        try:
            classes, truth = hidden_pictures(data, Path(temporary) / "pictures", 0)
            plan = LabelingPlan(classes=[LabelClass(name=name) for name in classes])
            labeling = Labeling.create(workspace, "cifar", plan)
            add_pictures(labeling, [Path(temporary) / "pictures"])
            assistant = Assistant(labeling, workspace, host, "mobilenet_v2", weights)
            began = time.perf_counter()
            assistant.finish()
            feature_seconds = time.perf_counter() - began
            for seed in range(seeds):
                script = Script(labeling, assistant, truth)
                script.begin(seed)
                if single:
                    script.label_uncertain(goal)
                else:
                    script.accept_pages(goal)
                right = sum(
                    label.value == ClassValue(index=truth[item])
                    for item, label in labeling.labels.items()
                )
                results.append(
                    {
                        "decisions": script.decisions,
                        "pages": script.pages,
                        "right_labels": right,
                        "ratio": round(script.decisions / goal, 3),
                        "learning_ms": round(1000 * float(np.median(script.seconds))),
                    }
                )
                print(json.dumps(results[-1]), flush=True)
                labeling.label(list(labeling.labels), None)
        finally:
            host.close()
    decisions = [int(str(each["decisions"])) for each in results]
    return {
        "without_assistance": goal,
        "with_assistance": float(np.mean(decisions)),
        "ratio": round(float(np.mean(decisions)) / goal, 3),
        "worst_ratio": round(max(decisions) / goal, 3),
        "feature_seconds": round(feature_seconds, 1),
        "features": assistant.status.features or "",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True, help="folder with test/CLASS/*.jpg")
    parser.add_argument("--weights", default="imagenet", help="weights of MobileNetV2")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--single", action="store_true", help="label uncertain pictures one by one"
    )
    options = parser.parse_args()
    print(json.dumps(measure(options.data, options.weights, options.seeds, single=options.single)))


if __name__ == "__main__":
    main()
