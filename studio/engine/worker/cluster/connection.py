"""Connection to a Ray cluster: address, resources of a run, and error messages."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from filelock import FileLock, Timeout

from studio.engine.errors import StudioError
from studio.engine.files import remove_folder
from studio.engine.installation import install_command
from studio.engine.jobs.devices import can_use_gpus, is_ray_address, parse_device_request
from studio.engine.jobs.liveness import JobBusy, holding
from studio.engine.jobs.machine_folder import user_name
from studio.engine.messages import joined, message
from studio.engine.training.plan import TrainingPlan

USERS = ".users"
"""Holds a lock of each actor that uses what was carried: the system frees it when one dies."""


def copies_folder() -> Path:
    """Return the folder in which a node stores copied files, one subfolder per group."""
    return Path(tempfile.gettempdir(), f"studio-cluster-{user_name()}")


def own_copies_folder() -> Path:
    """Make the folder for copies, or check that it is ours alone.

    Every user may write into the temporary folder of a machine, and could have put a folder or a
    link there, to read and change what is copied.

    Raises:
        StudioError: It is a link, belongs to another user, or others may access it.
    """
    base = copies_folder()
    with contextlib.suppress(FileExistsError):
        base.mkdir(mode=0o700)
    facts = base.lstat()
    is_folder = stat.S_ISDIR(facts.st_mode) and not base.is_symlink()
    is_ours = sys.platform == "win32" or (
        facts.st_uid == os.getuid() and not stat.S_IMODE(facts.st_mode) & 0o077
    )
    if not is_folder or not is_ours:
        raise StudioError(
            "The temporary folder {folder} of a node is not a folder of this user alone.",
            "Remove it on that node, or set TMPDIR there to another folder.",
            str(base),
            folder=base,
        )
    return base


def remove_all_copies() -> int:
    """Remove unused files that were copied to this node; return the number of folders."""
    if not copies_folder().is_dir():
        return 0
    try:
        base = own_copies_folder()
    except StudioError:
        return 0  # Studio never put files there
    roots = [each for each in base.iterdir() if each.is_dir() and not each.is_symlink()]
    return sum(map(remove_copies, roots))


def remove_copies(root: Path) -> bool:
    """Remove files that were copied to a folder, unless they are in use."""
    with FileLock(guard_of(root)):
        if any(_is_held(lock) for lock in (root / USERS).glob("*.lock")):
            return False
        remove_folder(root, ignore_errors=True)
        return True


def guard_of(root: Path) -> Path:
    """Return the lock of who begins to use what was carried to a machine, or removes it."""
    return root.with_name(".lock")


def _is_held(path: Path) -> bool:
    """Return True if the actor that owns the lock is alive."""
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True


class ClusterUnreachableError(StudioError):
    """No Ray cluster answers at an address: a sweep waits for it."""


NAMESPACE = "studio"
PROBE_SECONDS = 5.0
_START = "Start one with ray start --head, and other nodes with ray start --address HOST:6379."


@dataclass(frozen=True, slots=True)
class Demand:
    """Resources that Ray reserves for a run.

    Attributes:
        cores: CPU cores.
        gpus: Whole GPUs.
    """

    cores: int
    gpus: int

    def fits(self, resources: Mapping[str, float]) -> bool:
        """Return True if a node has these resources in total."""
        return resources.get("CPU", 0) >= self.cores and resources.get("GPU", 0) >= self.gpus

    @property
    def text(self) -> str:
        """Description of the resources."""
        cores = message("{count} cores", one="{count} core", count=self.cores)
        gpus = message("{count} GPUs", one="{count} GPU", count=self.gpus)
        return message("{cores} and {gpus}", cores=cores, gpus=gpus) if self.gpus else cores


def demand_of(plan: TrainingPlan, resources: Mapping[str, float]) -> Demand:
    """Return the resources that a plan requests.

    Args:
        plan: The plan; its device `auto` is one GPU where the cluster has any.
        resources: Resources of the cluster.
    """
    request = parse_device_request(plan.device)
    gpus = request.count if request.kind == "gpu" else 0
    if request.kind == "auto" and resources.get("GPU", 0) >= 1 and can_use_gpus(plan.backend):
        gpus = 1
    return Demand(max(1, plan.threads), gpus)


@contextlib.contextmanager
def connected(address: str) -> Iterator[ModuleType]:
    """Connect to a cluster; yield the module `ray`.

    Processes started there end with the block, unless they are detached.

    Raises:
        ClusterUnreachableError: The cluster does not answer.
        StudioError: Ray is not installed, or the cluster has another version.
    """
    try:
        import ray  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        optional = "On Windows Ray is optional." if sys.platform == "win32" else ""
        raise StudioError(
            "Ray is not installed.",
            joined(
                (
                    optional,
                    message(
                        "Install it with: {command}, or train on this machine.",
                        command=install_command("cluster"),
                    ),
                )
            ),
            "ray",
        ) from error
    probe(address)
    try:
        ray.init(
            address=address,
            namespace=NAMESPACE,
            log_to_driver=False,
            logging_level=logging.WARNING,
        )
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        lost = isinstance(error, ConnectionError)
        raise (ClusterUnreachableError if lost else StudioError)(
            "The Ray cluster at {address} cannot be used: {reason}",
            "Python and Ray must have the same versions on all machines; HOST:6379 is for nodes "
            "of the cluster, ray://HOST:10001 for other machines.",
            "ray",
            address=address,
            reason=_first_lines(error),
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def reach(address: str) -> None:
    """See whether a cluster can be used at all.

    Raises:
        StudioError: As `connected`.
    """
    with connected(address):
        pass


def probe(address: str) -> None:
    """Open a connection and close it: Ray itself retries for half a minute, and reports less.

    Raises:
        ClusterUnreachableError: Nothing answers within seconds.
        StudioError: It is not the address of a Ray cluster.
    """
    if not is_ray_address(address):
        raise StudioError(
            '"{address}" is not an address of a Ray cluster.', _START, "ray", address=address
        )
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PROBE_SECONDS).close()
    except OSError as error:
        raise ClusterUnreachableError(
            "There is no Ray cluster at {address}: {reason}.",
            _START,
            "ray",
            address=address,
            reason=error.strerror or error,
        ) from error


class ClusterWatch:
    """Asks whether a cluster answers, and reports once when it does not.

    Args:
        address: Address of the cluster.
        warn: Receives the sentence.

    Attributes:
        is_away: True if the cluster did not answer the last time.
    """

    def __init__(self, address: str, warn: Callable[[str], None]) -> None:
        self._address = address
        self._warn = warn
        self.is_away = False

    def answers(self) -> bool:
        """Return True if the cluster answers within seconds."""
        try:
            probe(self._address)
        except ClusterUnreachableError:
            if not self.is_away:
                text = message(
                    "The Ray cluster at {address} does not answer. The sweep waits for it; then "
                    "its runs continue from their last checkpoints.",
                    address=self._address,
                )
                self._warn(text)
            self.is_away = True
            return False
        self.is_away = False
        return True


def _first_lines(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines)[:400] or type(error).__name__


# The end of a sweep on a cluster: what was carried to its nodes goes.

CARRIED = ".carried"
"""In the folder of a run that was carried to a node."""
_WAIT_SECONDS = 30.0


def tidy_nodes(address: str, folders: Iterable[Path]) -> None:
    """Remove unused files that were copied to the nodes.

    Args:
        address: Address of the cluster.
        folders: Folders of the runs of a finished sweep; if no run was copied, nothing is done.

    Raises:
        StudioError: The cluster cannot be reached.
    """
    carried = [folder for folder in folders if (folder / CARRIED).exists()]
    if not carried:
        return
    for folder in carried:
        with contextlib.suppress(JobBusy), holding(folder, seconds=_WAIT_SECONDS):
            pass  # a worker that has just reported its end still uses what it read
    with connected(address) as ray:
        # Only if there is Ray, and a submodule that `import ray` does not bring.
        from ray.util.scheduling_strategies import (  # noqa: PLC0415
            NodeAffinitySchedulingStrategy,
        )

        task = ray.remote(remove_all_copies)
        asked = [
            task.options(
                num_cpus=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(each["NodeID"], soft=False),
            ).remote()
            for each in ray.nodes()
            if each["Alive"]
        ]
        ray.wait(asked, num_returns=len(asked), timeout=_WAIT_SECONDS)
