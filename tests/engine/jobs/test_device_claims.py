"""One job per device of a machine for all users; fair order; a dead holder frees the device."""

from __future__ import annotations

import getpass
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from helpers.processes import clean_environment
from studio.engine.baselines.report import BaselinePlan
from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs import commands, device_claims, machine_folder
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.device_claims import DeviceClaim, all_claims, taken_elsewhere
from studio.engine.jobs.devices import CPU, Device, FreeGpuMemory
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.scheduling import WaitingJob, schedule
from studio.engine.jobs.states import State
from studio.engine.jobs.types import Requirements
from studio.engine.plans import Plan
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan
from studio.engine.worker import gate, main
from studio.engine.worker.gate import devices_of
from studio.engine.workspace import RecordKind, Workspace

GPU = "gpu:0"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "machine"
    path.mkdir()
    monkeypatch.setenv(machine_folder.VARIABLE, str(path))
    monkeypatch.setattr(device_claims, "gpu_memory", lambda _: None)
    return path


class People:
    """Users of a machine who are one user of the system, each with a workspace."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root = root
        self._patch = monkeypatch
        self.claims: list[DeviceClaim] = []
        monkeypatch.setattr(device_claims, "_owner", lambda _, claim: claim.user)
        monkeypatch.setattr(device_claims, "_own_id", lambda claim: claim.user)
        monkeypatch.setattr(device_claims, "_is_file_of", lambda *_: True)

    def workspace(self, user: str) -> Workspace:
        return Workspace.open(self._root / f"of {user}")

    def claim(
        self, user: str, *devices: str, name: str = "job", workspace: str = ""
    ) -> DeviceClaim:
        self._patch.setattr(getpass, "getuser", lambda: user)
        own = self.workspace(workspace or user)
        self.claims.append(DeviceClaim(own, started(own, name, devices or (GPU,))))
        return self.claims[-1]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[People]:
    made = People(tmp_path, monkeypatch)
    yield made
    for each in made.claims:
        each.__exit__()


def started(workspace: Workspace, name: str, devices: tuple[str, ...] = (GPU,)) -> Job:
    job = JobQueue(workspace).submit(TrainingPlan(dataset="none"), name, or_similar=True)
    job.append(StateChanged(state=State.STARTING, attempt=1, devices=devices))
    return job


def done(claim: DeviceClaim) -> None:
    claim.__exit__()


def test_users_take_turns_and_are_never_there_together(people: People) -> None:
    chance = random.Random(3)
    users = enumerate("aaaabbc")
    jobs = [(user, people.claim(user, workspace=f"{user}{number}")) for number, user in users]
    for _, claim in jobs:  # all begin to wait, the four of the first user before the others
        claim.attempt()
    order = ["a"]  # the first had it at once
    holder, waiting = jobs[0][1], jobs[1:]

    while waiting:
        assert all(claim.attempt() for _, claim in waiting)  # one of them has it
        done(holder)
        asked = chance.sample(waiting, len(waiting))
        got = [each for each in asked if not each[1].attempt()]
        assert len(got) <= 1
        ((user, holder),) = got
        waiting.remove(got[0])
        order.append(user)

    assert "".join(order) == "abcabaa"


def test_jobs_of_a_workspace_may_be_on_one_device_until_another_waits(people: People) -> None:
    first, second, third = (people.claim("a", name=name) for name in ("t1", "t2", "t3"))
    other = people.claim("b")
    assert not first.attempt()
    assert not second.attempt()
    assert "in use by a (t" in other.attempt()
    assert "turn of b" in third.attempt()  # otherwise b would wait for ever
    done(first)
    assert other.attempt()
    done(second)
    assert not other.attempt()
    assert third.attempt()


def test_a_job_for_two_gpus_is_not_overtaken(people: People) -> None:
    one, both, later = (
        people.claim("a"),
        people.claim("b", GPU, "gpu:1"),
        people.claim("c", "gpu:1"),
    )
    assert not one.attempt()
    assert both.attempt()
    assert "turn of b" in later.attempt()
    done(one)
    assert not both.attempt()


def test_the_cpu_takes_as_many_workspaces_as_it_has_room(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    first, second, third = (people.claim(user, CPU) for user in "abc")
    assert not first.attempt()
    assert taken_elsewhere(people.workspace("b").root, all_claims()) == set()
    assert not second.attempt()
    assert "cpu is in use" in third.attempt()
    assert taken_elsewhere(people.workspace("c").root, all_claims()) == {CPU}


def test_a_gpu_that_other_programs_fill_is_waited_for(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = FreeGpuMemory(2**28, 24 * 2**30)
    monkeypatch.setattr(device_claims, "gpu_memory", lambda _: memory)
    claim = people.claim("a")
    assert "only 0.2 of 24.0 GB free" in claim.attempt()
    memory = FreeGpuMemory(2**33, 24 * 2**30)
    assert not claim.attempt()


_HOLDER = """
import os
import sys
from pathlib import Path
from studio.engine.jobs.machine_folder import OwnFile, deciding
if len(sys.argv) > 3:
    os.setuid(int(sys.argv[3]))
with deciding(Path(sys.argv[1])) as is_alone:
    file = OwnFile(Path(sys.argv[1]), sys.argv[2].encode())
print(is_alone, flush=True)
sys.stdin.read()
"""


def holder(folder: Path, user: int | None = None) -> subprocess.Popen[str]:
    """A process of another program version or user that has the GPU."""
    content = {"user": "them", "workspace": "0:1", "kind": "run", "job": "theirs"}
    claim = json.dumps({**content, "devices": [GPU], "since": 0, "has": True})
    words = [] if user is None else [str(user)]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _HOLDER, str(folder), claim, *words],
        env=clean_environment(PYTHONDONTWRITEBYTECODE="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


@pytest.mark.parametrize("user", [None, 65534])
def test_a_killed_holder_frees_the_device(
    workspace: Workspace, folder: Path, user: int | None
) -> None:
    if user and (sys.platform == "win32" or os.geteuid() != 0):
        pytest.skip("only root can start processes of other users")
    folder.chmod(0o1777)
    for parent in folder.parents:
        if parent == Path(tempfile.gettempdir()):
            break
        parent.chmod(0o755)
    process = holder(folder, user)
    with process, DeviceClaim(workspace, started(workspace, "ours")) as claim:
        assert claim.attempt() == "gpu:0 is in use by them (theirs)"
        (theirs,) = [each for each in all_claims() if each.claim.has]
        assert (theirs.owner == str(os.geteuid())) == (user is None)
        process.kill()
        process.wait()
        assert claim.attempt() == ""


def test_looking_at_claims_disturbs_none(
    people: People, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = machine_folder._lock

    def looked_at(handle: int, *, exclusive: bool) -> bool:
        """Another process looks between the making of a file and its lock."""
        if exclusive and len(list(folder.glob("*.claim"))) == 1:
            monkeypatch.setattr(machine_folder, "_lock", lock)
            assert all_claims() == []
            with machine_folder._opened(next(folder.glob("*.claim"))) as other:
                assert lock(other, exclusive=False)
                return lock(handle, exclusive=exclusive)
        return lock(handle, exclusive=exclusive)

    claim = people.claim("a")
    monkeypatch.setattr(machine_folder, "_lock", looked_at)
    assert claim.attempt() == "other jobs are starting"
    assert claim.attempt() == ""
    assert [each.claim.has for each in all_claims()] == [True]


def test_hostile_files_are_no_claims(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("{}")
    (folder / "0000000000000001.claim").symlink_to(secret)
    os.mkfifo(folder / "0000000000000002.claim")
    (folder / "0000000000000003.claim").mkdir()
    (folder / "0000000000000004.claim").write_bytes(b"{")
    own = machine_folder.OwnFile(folder, b"[" * 4000)
    large = machine_folder.OwnFile(folder, b" " * 5000)
    (folder / f"{os.geteuid()}.served").symlink_to(secret)
    before = secret.stat().st_mtime_ns
    with own, large, DeviceClaim(workspace, started(workspace, "ours")) as claim:
        assert claim.attempt() == ""
        assert len(all_claims()) == 1
    assert (secret.read_text(), secret.stat().st_mtime_ns) == ("{}", before)


def test_a_folder_that_is_a_link_is_refused(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    monkeypatch.setenv(machine_folder.VARIABLE, str(link))
    job = started(workspace, "ours")
    with pytest.raises(StudioError, match="share"):
        machine_folder.machine_folder()
    with devices_of(workspace, job) as ended:  # it trains, and says what it cannot know
        assert ended is None
    job.refresh()
    assert [note.level for note in job.history.notes] == ["warning"]


def test_a_worker_waits_and_says_for_what(workspace: Workspace, people: People) -> None:
    other = people.claim("b", name="cats")
    other.attempt()
    job = started(workspace, "ours")
    commands.send(job.record.folder, "pause", 1)

    with devices_of(workspace, job) as ended:
        assert ended is State.PAUSED
    job.refresh()
    assert job.history.state is State.PAUSED
    assert job.history.progress is not None
    assert job.history.progress.what == "Waits: gpu:0 is in use by b (cats)"

    done(other)
    with devices_of(workspace, started(workspace, "next")) as ended:
        assert ended is None
        assert [each.claim.has for each in all_claims()] == [True]
    assert all_claims() == []


def test_a_process_does_not_wait_for_the_memory_that_it_has(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = FreeGpuMemory(2**28, 24 * 2**30)  # the rest is its own, from the run before
    monkeypatch.setattr(device_claims, "gpu_memory", lambda _: memory)
    for is_reused, expected in ((False, State.PAUSED), (True, None)):
        job = started(workspace, "ours")
        commands.send(job.record.folder, "pause", 1)
        with devices_of(workspace, job, is_reused=is_reused) as ended:
            assert ended is expected


def test_a_process_ends_when_others_wait_for_the_memory_that_it_has(people: People) -> None:
    first, other = people.claim("a"), people.claim("b")
    assert not first.attempt()
    workspace = people.workspace("a")
    job = started(workspace, "ours")
    assert main._key_after(job, workspace) is not None
    assert other.attempt()  # begins to wait
    assert main._key_after(job, workspace) is None  # it takes no further run
    people.claim("a")  # names the user from here on
    done(first)  # "b" finds no free memory, and waits until this process has ended
    with devices_of(workspace, job, is_reused=True) as ended:  # it came before "b" did
        assert ended is State.QUEUED
    queue = JobQueue(workspace)
    with queue.locked():
        assert [each.job.record.id for each in queue.waiting()] == [job.record.id]
    assert not job.history.held


class _Reasons:
    """A claim that gives one reason to wait after another."""

    def __init__(self, *reasons: str) -> None:
        self._reasons = list(reasons)

    def attempt(self) -> str:
        return self._reasons.pop(0)


@pytest.mark.parametrize(
    "plan",
    [
        EvaluationPlan(run="none"),
        ExportPlan(run="none"),
        EmbeddingPlan(dataset="none", model="run:none"),
        BaselinePlan(dataset="none"),
        PreflightPlan(training=TrainingPlan(dataset="none", device="gpu:0")),
        StudyPlan(networks=("lenet",), devices=("cpu", GPU)),
        OperationsPlan(),
        PredictPlan(model="run:none"),
    ],
)
def test_each_job_with_a_network_waits_for_the_gpu_that_another_user_has(
    people: People, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert people.claim("ann").attempt() == ""
    workspace = people.workspace("bob")
    ended_worker = subprocess.Popen([sys.executable, "-c", ""])
    monkeypatch.setattr(queue_module, "launch_worker", lambda *_: ended_worker)
    queue = JobQueue(workspace, [Device(CPU), Device(GPU)])
    job = queue.submit(plan, "other")
    queue.dispatch()
    ended_worker.wait()
    job.refresh()
    assert job.history.devices == (GPU,)
    commands.send(job.record.folder, "stop", 1)
    with devices_of(workspace, job) as ended:
        assert ended is State.STOPPED
    assert job.history.reason == "It was stopped before its device was free."
    people.claims[0].__exit__()
    job.append(StateChanged(state=State.STARTING, attempt=2, devices=(GPU,)))
    with devices_of(workspace, job) as ended:
        assert ended is None
        assert people.claim("ann", name="next").attempt().endswith("(other)")


def test_reasons_that_differ_by_figures_are_one_in_the_journal(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "POLL_SECONDS", 0)
    job = started(workspace, "ours")
    full = [device_claims._too_full(GPU, FreeGpuMemory(2**28 * n, 2**34)) for n in (1, 2)]
    busy = device_claims.BUSY
    reasons = _Reasons(busy, full[0], full[1], busy, full[0], busy, "")
    waiting = gate._Wait(job, is_reused=False)
    assert waiting.until_ours(cast("DeviceClaim", reasons)) is None
    journal = (job.record.folder / JOURNAL_FILE).read_text()
    assert (journal.count('"progress"'), journal.count("other jobs")) == (2, 3)


def test_a_driver_is_asked_while_others_may_decide(
    people: People, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def memory(_: str) -> FreeGpuMemory:
        with machine_folder.deciding(folder) as is_alone:
            assert is_alone
        return FreeGpuMemory(2**33, 2**34)

    monkeypatch.setattr(device_claims, "gpu_memory", memory)
    assert not people.claim("a").attempt()


def test_a_user_without_a_name_has_a_number(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unnamed() -> str:
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr(getpass, "getuser", unnamed)
    with DeviceClaim(workspace, started(workspace, "ours")) as claim:
        assert claim.attempt() == ""
        assert [each.claim.user for each in all_claims()] == [machine_folder.user_name()]


def test_a_disk_without_numbers_of_files_gives_a_short_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Path, "stat", lambda _: os.stat_result([0] * 10))
    assert len(device_claims.workspace_key(Path("a" * 150, "b" * 150))) == 200


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
def test_others_can_read_what_a_careful_user_makes(people: People, folder: Path) -> None:
    before = os.umask(0o077)
    try:
        people.claim("a").attempt()
    finally:
        os.umask(before)
    files = [path for pattern in ("*.claim", "*.lock") for path in folder.glob(pattern)]
    assert [path.stat().st_mode & 0o777 for path in files] == [0o644, 0o644]


def test_a_claim_that_another_process_reads_is_given_up(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlink(_path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, "used by another process")  # as on Windows

    claim, other = people.claim("a"), people.claim("b")
    assert not claim.attempt()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlink)
        done(claim)
    assert not other.attempt()


def test_any_gpu_is_one_that_others_do_not_use() -> None:
    machine = [Device(CPU), Device(GPU), Device("gpu:1")]
    waiting = [WaitingJob(RecordKind.RUN, "a", Requirements("gpu", can_use_gpus=True))]
    (verdict,) = schedule(waiting, [], machine, elsewhere={GPU})
    assert verdict.devices == ("gpu:1",)
    (verdict,) = schedule(waiting, [], machine, elsewhere={GPU, "gpu:1"})
    assert verdict.devices == (GPU,)
