"""Lines of a journal: written, read back, and tolerated when they are odd."""

from __future__ import annotations

import json
import math
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.benchmarks.history import CellChanged, LatencyChanged
from studio.engine.benchmarks.prediction import LatencyFigures, LatencyOutcome, LatencyResult
from studio.engine.benchmarks.results import Cell, CellFigures, CellOutcome, CellState
from studio.engine.jobs.events import (
    KERNEL_EVENTS,
    Amended,
    Artifact,
    ArtifactRemoved,
    DamagedLine,
    Event,
    GpuSample,
    Note,
    ProgressMade,
    QueueChanged,
    RequestsHandled,
    Result,
    Started,
    StateChanged,
    UsageSampled,
    decoder,
    encode,
)
from studio.engine.jobs.states import State
from studio.engine.jobs.types import JOB_KINDS, job_type
from studio.engine.sweeps.history import TrialChanged, TrialMoved, TrialRun
from studio.engine.training.history import (
    ComparedMethod,
    EpochDone,
    InsightStored,
    MethodsCompared,
    Saved,
    StepsDone,
    TrainingBegan,
    ValidationDone,
    WeightsLoaded,
)

_numbers = st.floats(allow_infinity=False)
_finite = st.floats(allow_nan=False, allow_infinity=False)
_latency_figures = st.builds(
    LatencyFigures,
    calls=st.integers(0, 2**40),
    p50_seconds=_finite,
    p95_seconds=_finite,
    images_per_second=_finite,
    load_seconds=_finite,
)
_lists = st.lists(_numbers, max_size=5)
_times = st.floats(0, 1e6)
_texts = st.text(max_size=20)
_metrics = st.dictionaries(_texts, _numbers, max_size=3)
_paths = (
    st.lists(st.text("abc.é ", min_size=3, max_size=9), min_size=1)
    .map("/".join)
    .filter(lambda path: not {".", ".."} & set(path.split("/")))
)
_counts = st.integers(1, 10**6)
_FIGURES = st.builds(
    CellFigures,
    steps=_counts,
    step_seconds=_times,
    median_step_seconds=_times,
    warm_up_seconds=_times,
    epoch_losses=st.just((0.5, None)),
    utilization=st.none() | _times,
    power=st.none() | _times,
    peak_power=st.none() | _times,
    others_share=st.none() | _times,
)
_values = st.dictionaries(_texts, st.integers(0, 100) | _texts, max_size=3)

EVENTS: dict[type[Event], st.SearchStrategy[Event]] = {
    StateChanged: st.builds(
        StateChanged,
        state=st.sampled_from(State),
        attempt=_counts,
        reason=_texts,
        hint=_texts,
        category=st.sampled_from([None, "user", "bad_data", "internal"]),
        detail=_texts,
    ),
    Started: st.builds(Started, studio=_texts, pid=_counts, host=_texts),
    ProgressMade: st.builds(ProgressMade, done=_counts, total=_counts, what=_texts),
    TrialChanged: st.builds(
        TrialChanged,
        number=st.integers(0, 10**6),
        values=st.dictionaries(_texts, st.booleans() | st.integers() | _texts, max_size=3),
        state=st.sampled_from(State),
        measured=st.tuples(_numbers),
        runs=st.tuples(st.builds(TrialRun, name=_texts, measured=st.tuples(_numbers))),
        reason=_texts,
    ),
    TrialMoved: st.builds(
        TrialMoved,
        values=st.dictionaries(_texts, st.integers() | _texts, max_size=3),
        before=st.none() | st.dictionaries(_texts, st.integers(), max_size=3),
    ),
    RequestsHandled: st.builds(RequestsHandled, offset=st.integers(0, 10**12)),
    TrainingBegan: st.builds(TrainingBegan, device=_texts, first_step=_counts),
    WeightsLoaded: st.builds(WeightsLoaded, source=_texts, parameters=_counts),
    StepsDone: st.builds(
        StepsDone,
        first=_counts,
        last=_counts,
        every=st.integers(1, 1000),
        metrics=st.dictionaries(_texts, _lists, max_size=3),
        learning_rate=_numbers,
        images_per_second=_numbers,
    ),
    EpochDone: st.builds(
        EpochDone,
        epoch=_counts,
        metrics=_metrics,
        learning_rate=_numbers,
        images_per_second=_numbers,
        seconds=st.floats(0, 1e6),
    ),
    ValidationDone: st.builds(
        ValidationDone,
        epoch=st.floats(0, 1e6),
        step=_counts,
        metrics=_metrics,
        learning_rate=_numbers,
    ),
    QueueChanged: st.builds(
        QueueChanged, position=st.none() | st.floats(0, 1e12), held=st.none() | st.booleans()
    ),
    Amended: st.builds(
        Amended, changes=st.dictionaries(_texts, st.integers(0, 100), max_size=3), reason=_texts
    ),
    Saved: st.builds(Saved, step=_counts, epoch=st.floats(0, 1e6)),
    UsageSampled: st.builds(
        UsageSampled,
        seconds=st.floats(0, 1e6),
        waiting=_numbers,
        cpu=_numbers,
        memory=_numbers,
        gpus=st.lists(
            st.builds(GpuSample, name=_texts, utilization=_numbers, power=_numbers), max_size=2
        ).map(tuple),
    ),
    InsightStored: st.builds(InsightStored, epoch=st.floats(0, 1e6), step=_counts, path=_paths),
    MethodsCompared: st.builds(
        MethodsCompared,
        methods=st.tuples(
            st.builds(ComparedMethod, name=_texts, maps=_texts, score=_numbers),
            st.builds(ComparedMethod, name=_texts, maps=_texts, score=_numbers),
        ),
        chosen=st.integers(0, 1),
        rows=st.just((3, 5)),
        good=st.tuples(_numbers, _numbers),
        drawn=st.lists(_numbers, max_size=3).map(tuple),
    ),
    Note: st.builds(Note, level=st.sampled_from(["info", "warning"]), message=_texts),
    Artifact: st.builds(Artifact, name=_texts, path=_paths),
    ArtifactRemoved: st.builds(ArtifactRemoved, name=_texts),
    CellChanged: st.builds(
        CellChanged,
        cell=st.builds(
            Cell,
            number=st.integers(0, 10_000),
            network=_texts,
            batch=_counts,
            outcome=st.builds(
                CellOutcome,
                state=st.sampled_from(typing.get_args(CellState)),
                reason=_texts,
                figures=st.none() | _FIGURES,
            ),
        ),
    ),
    LatencyChanged: st.builds(
        LatencyChanged,
        latency=st.builds(
            LatencyResult,
            batch=_counts,
            outcome=st.builds(
                LatencyOutcome,
                state=st.sampled_from(typing.get_args(CellState)),
                reason=_texts,
                figures=st.none() | _latency_figures,
            ),
        ),
    ),
    Result: st.builds(
        Result,
        values=st.dictionaries(
            _texts, st.none() | st.integers(-(2**53), 2**53) | _texts, max_size=4
        ),
    ),
}


_STEPS = encode(
    StepsDone(
        first=1,
        last=1,
        metrics={"loss": [1], "accuracy": [1]},
        learning_rate=1,
        images_per_second=1,
    )
)

OWN = tuple({each: None for kind in JOB_KINDS for each in job_type(kind).events})
DECODE = decoder(OWN)


for _kind in EVENTS:
    _kind.model_rebuild()  # built at their first use; hypothesis reads their fields before that


def _plain(event: Event) -> str:
    """Everything in an event; NaN is equal to itself in this form."""
    return repr(event.model_dump())


def test_every_kind_of_event_is_tested() -> None:
    assert set(EVENTS) == {*KERNEL_EVENTS, *OWN}


@given(event=st.one_of(*EVENTS.values()))
def test_every_event_comes_back_from_one_line(event: Event) -> None:
    line = encode(event)
    again = DECODE(line)

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert type(again) is type(event)
    assert again is not None
    assert _plain(again) == _plain(event)


def test_what_is_no_number_is_null_in_json() -> None:
    steps = StepsDone(
        first=1,
        last=3,
        metrics={"loss": [0.5, math.nan, math.inf], "accuracy": []},
        learning_rate=0.1,
        images_per_second=math.inf,
    )

    assert json.loads(encode(steps))["metrics"]["loss"] == [0.5, None, None]
    again = DECODE(encode(steps))
    assert isinstance(again, StepsDone)
    assert math.isnan(again.metrics["loss"][1])
    assert math.isnan(again.images_per_second)
    assert json.loads(encode(Result(values={"a": {"b": [math.nan]}})))["values"] == {
        "a": {"b": [None]}
    }


def test_values_of_several_steps_are_spread_over_them() -> None:
    steps = StepsDone(
        first=5,
        last=9,
        every=2,
        metrics={"loss": [1, 2, 3], "accuracy": [0, 0.5, 1]},
        learning_rate=1,
        images_per_second=1,
    )
    assert steps.per_step("loss") == [1, 1, 2, 2, 3]
    assert steps.per_step("accuracy") == [0, 0, 0.5, 0.5, 1]
    assert steps.model_copy(update={"last": 3}).per_step("loss") == []


def test_a_newer_worker_may_write_kinds_and_fields_that_are_not_known() -> None:
    assert DECODE(b'{"t": 1, "event": "weather", "rain": true}\n') is None
    known = DECODE(b'{"t": 1, "event": "note", "message": "Hello", "color": "red"}')
    assert known == Note(t=1, message="Hello")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"event": "state", "state": "flying"}',
        b'{"event": "note"}',
        b'{"event": "steps", "first": 1, "loss": 3}',
        _STEPS.replace(b'"first":1', b'"first":0'),
    ],
)
def test_damaged_lines_differ_from_unknown_ones(line: bytes) -> None:
    with pytest.raises(DamagedLine):
        DECODE(line)


@given(st.binary(max_size=60))
def test_no_line_does_more_than_be_damaged(line: bytes) -> None:
    try:
        DECODE(line)
    except DamagedLine:
        return


def test_a_file_name_that_is_not_text_can_be_printed() -> None:
    again = DECODE(encode(Note(message="caf\udce9.png")))

    assert isinstance(again, Note)
    assert again.message == "caf\\udce9.png"


def test_lines_of_protocol_1_are_read_as_metrics() -> None:
    steps = DECODE(
        b'{"t": 1, "event": "steps", "first": 1, "last": 2, "loss": [2.0, null], '
        b'"accuracy": [0.5, 1.0], "learning_rate": 0.1, "images_per_second": 9}'
    )
    epoch = DECODE(
        b'{"t": 1, "event": "epoch", "epoch": 1, "step": 2, "loss": 1.0, "accuracy": 0.75, '
        b'"val_loss": 1.5, "val_accuracy": 0.5, "top_5": null, "val_top_5": 0.9, '
        b'"learning_rate": 0.1, "seconds": 1, "images_per_second": 9}'
    )

    assert isinstance(steps, StepsDone)
    assert steps.metrics.keys() == {"loss", "accuracy"}
    assert steps.per_step("accuracy") == [0.5, 1.0]
    assert math.isnan(steps.per_step("loss")[1])
    assert isinstance(epoch, EpochDone)
    assert epoch.metrics == {
        "loss": 1.0,
        "accuracy": 0.75,
        "val_loss": 1.5,
        "val_accuracy": 0.5,
        "val_top_5": 0.9,
    }
    assert math.isnan(epoch.value("top_5"))


def test_a_line_with_absurdly_many_metrics_is_refused() -> None:
    metrics = {f"m{at}": [1.0] for at in range(1000)}
    line = {"event": "steps", "first": 1, "last": 1, "learning_rate": 1, "images_per_second": 1}
    with pytest.raises(DamagedLine, match="too_long"):
        DECODE(json.dumps({**line, "metrics": metrics}).encode())
