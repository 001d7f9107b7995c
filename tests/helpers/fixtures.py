"""Fixtures for every suite."""

from __future__ import annotations

import os

# Read when Qt is loaded: no test needs a display.
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    # A screen of 1440x900 instead of 800x800: the window is never larger than its screen.
    os.environ["QT_QPA_PLATFORM"] = (
        f"offscreen:configfile={os.path.join(os.path.dirname(__file__), 'screen.json')}"  # noqa: PTH118, PTH120
    )

# Read when the libraries are loaded. On matrices as small as those of the tests, threads only wait
# for each other, which takes ten times as long beside another busy process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")

# TensorFlow sets it when it is imported. Processes are forked only with the variables with which
# the first one was started.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

from helpers.checks import start_checks
from helpers.digits import Digits, SharedRuns, copy_of, end_workers, session_digits
from helpers.plain_graphs import leave_graphs_plain
from helpers.workers import Launcher, LaunchScripts, install
from helpers.zygote import INSTALLED, forking
from studio.engine.jobs import launch, machine_folder
from studio.engine.web import route
from studio.engine.workspace import Workspace

# The machines are noisy: how long an example takes says nothing about the code.
# The quick suite draws the same examples each time: whether a change lands is no matter of luck.
# The thorough suite draws other ones in each run.
settings.register_profile("quick", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile("quick")


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples with `-m thorough`; leave graphs of TensorFlow as they are."""
    leave_graphs_plain()
    if config.option.markexpr == "thorough":
        settings.load_profile("thorough")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Select the tests with examples with `-m thorough`, too."""
    has_examples = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
    if has_examples and item.config.option.markexpr == "thorough":
        item.add_marker("thorough")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long: at the end, one process would wait for the other."""
    slow_files = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow_files)


_crashed: list[object] = []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    """Note that a process of tests has crashed; the other one continues."""
    if error:
        _crashed.append(node)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """After a crash, end with another status than after failures: tests were left out."""
    if _crashed:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


# Beside busy tests, workers of the lowest priority hardly come to their turn.
os.environ.setdefault("STUDIO_JOB_PRIORITY", "normal")


@pytest.fixture(scope="session", autouse=True)
def checks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the results of ruff, mypy and import-linter, which run beside the tests."""
    return start_checks(request.session, tmp_path_factory)


@pytest.fixture(scope="session", autouse=True)
def jax_compiles_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What JAX compiled serves all its processes: most of a short training is its compilation.

    It is not made fast either, which takes a third less time.
    """
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(tmp_path_factory.mktemp("jax")))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3")


@pytest.fixture(scope="session", autouse=True)
def nothing_waits_for_the_disk() -> Iterator[None]:
    """What is written is not waited for until it is on the disk: no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", _flushed)
        yield


@pytest.fixture(scope="session", autouse=True)
def own_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Jobs of these tests wait for no others on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(machine_folder.VARIABLE, str(tmp_path_factory.mktemp("machine")))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_connection() -> Iterator[None]:
    """What is recommended does not depend on the connection of the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(route, "CHECKS", ())
        yield


def _flushed(file: int) -> None:
    os.fstat(file)  # it fails as `fsync` does for what is not open


@pytest.fixture(scope="session", autouse=True)
def forked_processes(jax_compiles_once: None, own_machine: None) -> Iterator[None]:
    """Processes of Studio are forked: most of a start is the import of TensorFlow."""
    with forking():
        yield


@pytest.fixture
def real_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of Studio are started as the product starts them."""
    for name, module in INSTALLED.items():
        monkeypatch.setattr(module, name, getattr(launch, name))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace of its own."""
    return Workspace.open(tmp_path / "my workspace ü")


@pytest.fixture
def launch_scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[LaunchScripts]:
    """Let queues of this process start scripts instead of workers."""
    launchers: list[Launcher] = []

    def make(code: str) -> Launcher:
        launchers.append(install(monkeypatch, code))
        return launchers[-1]

    yield make
    for launcher in launchers:
        launcher.close()


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Digits:
    """The digits, imported, and LeNet trained on them; shared, so runs may only be added."""
    root = tmp_path_factory.mktemp("shared") / "digits workspace ü"
    return copy_of(session_digits(tmp_path_factory), root, with_run=True)


@pytest.fixture(scope="module")
def untouched(digits: Digits, tmp_path_factory: pytest.TempPathFactory) -> Digits:
    """The digits and their one run, where no test adds another."""
    return copy_of(digits, tmp_path_factory.mktemp("untouched") / "own ü", with_run=True)


@pytest.fixture(scope="module")
def runs(digits: Digits, tmp_path_factory: pytest.TempPathFactory) -> SharedRuns:
    """Runs on the digits that the tests of a module share: nothing of them may be changed."""
    own = copy_of(digits, tmp_path_factory.mktemp("runs") / "shared", with_run=False)
    return SharedRuns(own.workspace, own.dataset)


@pytest.fixture
def own_digits(digits: Digits, tmp_path: Path) -> Iterator[Digits]:
    """The imported digits in a workspace of one's own; the trained run is the shared one."""
    own = copy_of(digits, tmp_path / "own", with_run=False)
    yield own
    end_workers(own.workspace)


@pytest.fixture
def own_run(digits: Digits, tmp_path: Path) -> Iterator[Digits]:
    """The imported digits and the trained run in a workspace of one's own."""
    own = copy_of(digits, tmp_path / "own", with_run=True)
    yield own
    end_workers(own.workspace)
