"""`studio train --augment` and `--set augmentation.…`."""

from __future__ import annotations

import re

import pytest

from helpers.command_line import caller
from helpers.digits import Digits
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan


@pytest.mark.slow
def test_a_preset_and_a_change_reach_the_run(
    own_digits: Digits, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, own_digits.workspace.root)
    data = own_digits.dataset.record.name
    words = ("--dataset", data, "--network", "perceptron", "--epochs", "1", "--name", "varied")

    done = call(
        "train", *words, "--augment", "light", "--set", "augmentation.rotation=15", "--json"
    )

    assert done.document["state"] == "completed"
    plan = call("runs", "show", "varied", "--json").document["plan"]["augmentation"]
    assert AugmentationPlan.parse(plan) == PRESETS["light"].plan.changed(rotation=15)


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("--augment", "heavy"), "heavy"),
        (("--set", "augmentation.rotation=200"), "augmentation.rotation"),
        (("--set", "augmentation.rotatoin=20"), "augmentation.rotatoin"),
        (("--set", "augmentation.crop=100"), "28x28"),
    ],
)
@pytest.mark.slow
def test_what_cannot_be_is_refused(
    digits: Digits, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reported: str
) -> None:
    call = caller(capsys, digits.workspace.root)

    said = call("train", "--dataset", digits.dataset.record.name, *words)

    assert reported in said.mistake


def test_the_help_lists_no_option_for_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    text = caller(capsys, None)("train", "--help").out

    options = re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE)
    assert "--augment" in options
    assert len(options) < 70
    assert not set(options) & {f"--{name.replace('_', '-')}" for name in ("rotation", "zoom")}
