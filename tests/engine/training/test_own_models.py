"""Completed runs are sources of weights, with the licenses of what they started from."""

from __future__ import annotations

from helpers.runs import append_events, fake_run
from studio.engine.jobs.states import State
from studio.engine.pretrained.licenses import LICENSES, Passport
from studio.engine.training.history import WeightsLoaded
from studio.engine.training.own_models import own_models
from studio.engine.workspace import Workspace


def test_completed_runs_are_listed_with_licenses_and_figures(workspace: Workspace) -> None:
    fake_run(workspace, "scratch", [0.5, 0.75])
    fake_run(workspace, "unfinished", [0.5], State.RUNNING)
    research = Passport(LICENSES["apache-2.0"], LICENSES["cc-by-nc-4.0"], LICENSES["web-images"])
    for name, passport in (
        ("tuned", research.to_json()),
        ("strange", {"weights": {"license": "of another version"}}),
    ):
        record = fake_run(workspace, name, [0.5])
        loaded = WeightsLoaded(source="imagenet", loaded=(), parameters=0, passport=passport)
        append_events(record, [loaded])

    found = {each.source: each for each in own_models(workspace)}

    assert set(found) == {"run:scratch", "run:tuned", "run:strange"}
    assert found["run:scratch"].figure == "75.0 %"
    assert found["run:scratch"].passport.is_commercial
    assert found["run:tuned"].passport == research
    assert not found["run:strange"].passport.is_commercial
    assert found["run:strange"].passport.weights == LICENSES["not-stated"]
