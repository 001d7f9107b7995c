"""Which waiting job starts on what: no disk, no process, only decisions."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from studio.engine.jobs.devices import CPU, RAY, Device, gpu_name
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.scheduling import (
    RunningJob,
    SchedulingDecision,
    Wait,
    WaitingJob,
    Why,
    schedule,
    waiting_job,
)
from studio.engine.jobs.types import Requirements
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind

RUN = RecordKind.RUN


def _waiting(
    kind: RecordKind,
    id_: str,
    device: str = "",
    *,
    can_use_gpus: bool = False,
    share: int = 1,
    after: str = "",
    held: bool = False,
) -> WaitingJob:
    required = Requirements(device, can_use_gpus, share, after)
    return WaitingJob(kind, id_, required, held=held)


def _machine(gpus: int) -> list[Device]:
    return [Device(CPU), *(Device(gpu_name(index)) for index in range(gpus))]


def _runs(*devices: str) -> list[WaitingJob]:
    return [
        _waiting(RUN, f"r{index}", device, can_use_gpus=True)
        for index, device in enumerate(devices)
    ]


def _verdicts(
    gpus: int, waiting: Sequence[WaitingJob], at_work: Sequence[RunningJob] = ()
) -> list[tuple[str, ...] | Wait]:
    return [
        verdict.devices if verdict.wait is None else verdict.wait
        for verdict in schedule(waiting, at_work, _machine(gpus))
    ]


def _at_work(*devices: str) -> list[RunningJob]:
    return [RunningJob(RUN, f"w{index}", (device,)) for index, device in enumerate(devices)]


def test_auto_takes_a_gpu_where_there_is_one_and_the_cpu_elsewhere() -> None:
    assert _verdicts(0, _runs("auto")) == [("cpu",)]
    assert _verdicts(1, _runs("auto")) == [("gpu:0",)]
    assert _verdicts(1, _runs("auto"), _at_work("gpu:0")) == [Wait(Why.BUSY, ("gpu",), ("w0",))]


def test_auto_takes_the_cpu_for_a_backend_that_cannot_use_the_gpu() -> None:
    plan = TrainingPlan(dataset="d")
    asking = [_waiting(RUN, "r", plan.device, can_use_gpus=False)]
    assert _verdicts(1, asking) == [("cpu",)]


def test_one_device_does_one_run() -> None:
    assert _verdicts(2, _runs("gpu", "gpu", "gpu", "cpu", "cpu:2")) == [
        ("gpu:0",),
        ("gpu:1",),
        Wait(Why.BUSY, ("gpu",), ("r0", "r1")),
        ("cpu",),
        Wait(Why.BUSY, ("cpu",), ("r3",)),
    ]


def test_other_jobs_with_a_network_use_a_gpu_beside_the_runs_of_their_workspace() -> None:
    kind = RecordKind.EVALUATION

    def gpus(number: int, device: str = "auto", elsewhere: tuple[str, ...] = ()) -> object:
        job = _waiting(kind, "e", device, can_use_gpus=True)
        (found,) = schedule([job], _at_work("gpu:0"), _machine(number), elsewhere=elsewhere)
        return found.devices if found.wait is None else found.wait

    assert gpus(0) == ()
    assert gpus(1) == ("gpu:0",)
    assert gpus(3) == ("gpu:1",)
    assert gpus(3, elsewhere=("gpu:1",)) == ("gpu:2",)
    assert gpus(3, "gpu:0,2") == ("gpu:0", "gpu:2")
    assert gpus(1, "gpu:0,5") == ("gpu:0",)
    assert gpus(1, "cpu") == ("cpu",)  # so that its worker leaves the GPU alone
    evaluated = RunningJob(kind, "e", ("gpu:0",))
    assert _verdicts(1, _runs("gpu:0"), [evaluated]) == [("gpu:0",)]


def _sharing(device: str, count: int, share: int) -> list[WaitingJob]:
    return [
        _waiting(RUN, f"s{index}", device, can_use_gpus=True, share=share)
        for index in range(count)
    ]


def test_runs_share_a_device_if_their_plans_allow_it() -> None:
    busy = Wait(Why.BUSY, ("cpu",), ("s0", "s1"))
    assert _verdicts(0, _sharing("cpu", 3, share=2)) == [("cpu",), ("cpu",), busy]
    assert _verdicts(2, _sharing("gpu", 4, share=2)) == [
        ("gpu:0",),
        ("gpu:1",),
        ("gpu:0",),
        ("gpu:1",),
    ]


def test_an_exclusive_device_is_not_shared() -> None:
    alone, sharing = _runs("cpu"), _sharing("cpu", 1, share=4)

    assert _verdicts(0, [*alone, *sharing]) == [("cpu",), Wait(Why.BUSY, ("cpu",), ("r0",))]
    assert _verdicts(0, [*sharing, *alone]) == [("cpu",), Wait(Why.BUSY, ("cpu",), ("s0",))]
    at_work = [RunningJob(RUN, "w", ("cpu",), share=3)]
    assert _verdicts(0, sharing, at_work) == [("cpu",)]
    assert _verdicts(0, alone, at_work) == [Wait(Why.BUSY, ("cpu",), ("w",))]


def test_a_sharing_run_does_not_overtake_one_that_waits_for_the_whole_device() -> None:
    at_work = [RunningJob(RUN, "w", ("cpu",), share=2)]

    assert _verdicts(0, [*_runs("cpu"), *_sharing("cpu", 1, share=2)], at_work) == [
        Wait(Why.BUSY, ("cpu",), ("w",)),
        Wait(Why.BUSY, ("cpu",), ("w",)),
    ]


def test_a_run_that_waits_does_not_block_what_needs_something_else() -> None:
    assert _verdicts(3, _runs("gpu:0", "gpu:1", "gpus:2"), _at_work("gpu:0")) == [
        Wait(Why.BUSY, ("gpu:0",), ("w0",)),
        ("gpu:1",),
        Wait(Why.BUSY, ("gpus:2",), ("w0", "r1")),
    ]


def test_a_run_of_several_devices_keeps_what_is_free_against_later_ones() -> None:
    busy = _at_work("gpu:0")
    assert _verdicts(2, _runs("gpu:0,1", "gpu:1", "gpu"), busy) == [
        Wait(Why.BUSY, ("gpu:0",), ("w0",)),
        Wait(Why.RESERVED, ("gpu:1",), ("r0",)),
        Wait(Why.BUSY, ("gpu",), ("w0",)),
    ]
    assert _verdicts(2, _runs("gpus:2", "gpu:1"), busy)[1] == Wait(
        Why.RESERVED, ("gpu:1",), ("r0",)
    )
    assert _verdicts(2, _runs("gpus:2", "gpu:1")) == [
        ("gpu:0", "gpu:1"),
        Wait(Why.BUSY, ("gpu:1",), ("r0",)),
    ]


def test_who_takes_any_gpu_leaves_the_named_ones_alone() -> None:
    assert _verdicts(2, _runs("gpu", "gpu:0")) == [("gpu:1",), ("gpu:0",)]


def test_missing_packages_are_reported_and_nothing_is_stored() -> None:
    assert _verdicts(1, _runs("gpu:0,3", "gpus:2", "gpu:0")) == [
        Wait(Why.MISSING, ("gpu:3",)),
        Wait(Why.MISSING, ("gpus:2",)),
        ("gpu:0",),
    ]


def test_a_text_that_means_nothing_waits() -> None:
    assert _verdicts(1, _runs("tpu:1", "gpu")) == [Wait(Why.UNKNOWN, ("tpu:1",)), ("gpu:0",)]


def test_who_is_held_keeps_nothing() -> None:
    held = _waiting(RUN, "held", "gpus:2", can_use_gpus=True, held=True)
    assert _verdicts(2, [held, *_runs("gpu:0,1")]) == [Wait(Why.HELD), ("gpu:0", "gpu:1")]


def test_other_kinds_have_slots_and_need_no_device() -> None:
    imports = [_waiting(RecordKind.DATASET, name) for name in "ab"]
    training = RunningJob(RUN, "w", ("cpu",))
    assert _verdicts(0, imports, [training]) == [(), Wait(Why.TURN, (), ("a",))]


def test_a_worker_of_an_older_studio_may_be_anywhere() -> None:
    assert _verdicts(1, _runs("cpu", "gpu"), [RunningJob(RUN, "old")]) == [
        Wait(Why.BUSY, ("cpu",), ("old",)),
        Wait(Why.BUSY, ("gpu",), ("old",)),
    ]


def test_a_device_that_was_amended_counts() -> None:
    plan = TrainingPlan(dataset="d", device="gpu:1")
    assert waiting_job(RUN, "r", plan, JobHistory()).requirements.device == "gpu:1"
    assert (
        waiting_job(RUN, "r", plan, JobHistory(changes={"device": "cpu"})).requirements.device
        == "cpu"
    )
    assert waiting_job(RUN, "r", None, JobHistory(held=True)) == _waiting(RUN, "r", CPU, held=True)


def test_a_run_for_a_cluster_waits_for_nothing_here() -> None:
    plan = TrainingPlan(dataset="d", device="gpu", ray="head:6379")
    asking = waiting_job(RUN, "r", plan, JobHistory())
    at_work = [RunningJob(RUN, "a", ("cpu",)), RunningJob(RUN, "b", (RAY,))]

    assert _verdicts(0, [asking, asking, *_runs("cpu")], at_work) == [
        (RAY,),
        (RAY,),
        Wait(Why.BUSY, ("cpu",), ("a",)),
    ]
    assert _verdicts(0, _runs("cpu"), at_work[1:]) == [("cpu",)]


def test_the_reasons_in_words() -> None:
    def said(why: Why, devices: tuple[str, ...] = (), jobs: tuple[str, ...] = ()) -> str:
        return Wait(why, devices, jobs).text(str.upper)

    assert said(Why.MISSING, ("gpu:3",)) == "waits for gpu:3, which this machine does not have"
    assert said(Why.BUSY, ("gpu",), ("a", "b")) == 'waits for a GPU, in use by "A" and "B"'
    assert said(Why.RESERVED, ("gpus:2",), ("a",)) == 'waits for 2 GPUs, kept for "A"'
    assert said(Why.TURN, (), ("a",)) == 'waits for its turn after "A"'
    assert "released" in said(Why.HELD)
    assert "tpu" in said(Why.UNKNOWN, ("tpu",))


DEVICES = st.sampled_from(
    ["auto", "cpu", "gpu", "gpu:0", "gpu:1", "gpu:2", "gpu:0,1", "gpu:1,2", "gpus:2", "gpus:3"]
)


def _start(verdicts: list[SchedulingDecision], waiting: list[WaitingJob]) -> list[RunningJob]:
    return [
        RunningJob(RUN, job.id, verdict.devices)
        for job, verdict in zip(waiting, verdicts, strict=True)
        if verdict.wait is None
    ]


@given(st.integers(0, 3), st.lists(DEVICES, max_size=8), st.randoms())
def test_no_device_is_shared_and_every_possible_run_starts_eventually(
    gpus: int, devices: list[str], random: object
) -> None:
    machine, waiting = _machine(gpus), _runs(*devices)
    at_work: list[RunningJob] = []
    for _round in range(len(devices) + 1):
        verdicts = schedule(waiting, at_work, machine)
        at_work = [*at_work, *_start(verdicts, waiting)]
        taken = [name for job in at_work for name in job.devices]
        assert len(taken) == len(set(taken))
        assert set(taken) <= {device.name for device in machine}
        started = {job.id for job in at_work}
        waiting = [job for job in waiting if job.id not in started]
        at_work = at_work[1:]  # the one that began first ends
    left = [verdict.wait for verdict in schedule(waiting, [], machine)]
    assert all(wait is not None and wait.why == Why.MISSING for wait in left)


@given(st.lists(DEVICES, max_size=6))
def test_a_run_of_several_devices_is_not_starved_by_small_ones_that_keep_coming(
    before: list[str],
) -> None:
    machine = _machine(3)
    at_work = _start(schedule(_runs(*before), [], machine), _runs(*before))
    large = _waiting(RUN, "large", "gpus:3", can_use_gpus=True)
    for number in range(len(at_work) + 1):
        small = _waiting(RUN, f"small {number}", "gpu", can_use_gpus=True)
        verdicts = schedule([large, small], at_work, machine)
        if verdicts[0].wait is None:
            return
        assert verdicts[1].wait is not None
        at_work = at_work[1:]
    raise AssertionError("the run of three GPUs never got its turn")


def test_a_limit_holds_for_jobs_of_all_kinds_but_those_that_compute_nothing() -> None:
    working = [RunningJob(RecordKind.EVALUATION, "e"), RunningJob(RecordKind.SWEEP, "s")]
    waiting = [
        _waiting(RUN, "first", CPU),
        _waiting(RecordKind.EXPORT, "second"),
        _waiting(RecordKind.SWEEP, "another sweep"),
        WaitingJob(RUN, "far", Requirements(place=RAY)),
    ]

    verdicts = schedule(waiting, working, _machine(0), most=2)

    waits = [verdict.wait for verdict in verdicts]
    assert waits == [None, Wait(Why.TURN, jobs=("e", "first")), None, None]
    assert [each.wait for each in schedule(waiting, working, _machine(0))] == [None] * 4


def test_a_run_waits_for_the_import_of_its_dataset_and_keeps_nothing_meanwhile() -> None:
    early = _waiting(RUN, "early", "cpu", after="d")
    other = _waiting(RUN, "other", "cpu", after="e")
    importing = RunningJob(RecordKind.DATASET, "d")
    wait = Wait(Why.DEPENDENCY, jobs=("d",))

    assert _verdicts(0, [early, other], [importing]) == [wait, ("cpu",)]
    queued = _waiting(RecordKind.DATASET, "d")
    assert _verdicts(0, [early, queued], [RunningJob(RecordKind.DATASET, "x")])[0] == wait
    assert _verdicts(0, [early]) == [("cpu",)]
    assert wait.text(lambda _: "flowers") == 'waits until "flowers" is completed'
