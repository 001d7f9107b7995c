"""Plans, sweeps, journals and command lines with the names that fields had before."""

from __future__ import annotations

import pytest

from studio.cli.main import make_parser
from studio.cli.options import given_options
from studio.engine.evaluation.report import EvaluatedModel, EvaluationPlan
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import Dimension
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import LargestBatch

FORMER = sorted(TrainingPlan.former_names.items())
VALUES = {"monitor": "loss", "class_balancing": "sampling"}


@pytest.mark.parametrize(("former", "current"), FORMER)
def test_a_stored_plan_with_a_former_name_is_read(former: str, current: str) -> None:
    value = VALUES.get(current, "0.5" if current in ("ema_momentum", "clipvalue") else "2")

    plan = TrainingPlan.parse({"dataset": "d", former: value})

    assert str(getattr(plan, current)).startswith(str(value))
    assert former not in plan.model_dump()
    assert plan.changed(**{former: value}) == plan


@pytest.mark.parametrize(("former", "current"), FORMER)
def test_a_former_option_works_and_is_hidden(former: str, current: str) -> None:
    words = ["train", "--" + former.replace("_", "-"), "2"]
    parser = make_parser(words)

    assert given_options(parser.parse_args(words)) == {current: "2"}


def test_former_names_are_not_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_parser(["train"]).parse_args(["train", "--help"])

    text = capsys.readouterr().out
    options = {word.strip(",") for word in text.split() if word.startswith("--")}
    assert "--early-stopping-patience" in options
    assert options.isdisjoint("--" + former.replace("_", "-") for former, _ in FORMER)
    titles = ["data:", "network:", "optimization:", "augmentation:", "schedule:", "hardware:"]
    assert [title for title in titles if f"\n{title}\n" not in text] == []


def test_a_stored_sweep_with_a_former_name_is_read() -> None:
    dimension = Dimension.parse({"field": "accumulate", "values": [1, 2]})
    trial = TrialChanged.model_validate(
        {"t": 0, "number": 0, "values": {"accumulate": 2}, "state": "running"}
    )

    assert dimension.field == "gradient_accumulation_steps"
    assert trial.values == {"gradient_accumulation_steps": 2}


def test_stored_evaluations_and_preflight_reports_with_former_names_are_read() -> None:
    plan = EvaluationPlan.parse({"run": "r", "moment": "3"})
    subject = EvaluatedModel.model_validate(
        {
            "model": "net",
            "moment": "3",
            "dataset": "d",
            "dataset_name": "digits",
            "dataset_version": 1,
            "split": "test",
        }
    )
    largest = LargestBatch.model_validate(
        {"size": 2, "limit": "memory", "how": "run", "told": "2 images"}
    )

    assert (plan.checkpoint, subject.checkpoint, largest.text) == ("3", "3", "2 images")
    assert "moment" not in subject.model_dump()
