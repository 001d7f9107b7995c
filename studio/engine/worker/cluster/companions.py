"""The other nodes of a run that several train together: the same program on copies of the run.

Only what the first node writes is kept. A node that dies ends the attempt on all of them; the run
continues from its last checkpoint when it is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.process_group import ProcessGroup
from studio.engine.messages import message
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker.cluster.carried import CarriedRun
from studio.engine.worker.cluster.connection import Demand
from studio.engine.worker.cluster.node import Ask, Node
from studio.engine.workspace import Workspace

GRACE_POLLS = 100
"""Polls for which the first node may still work after another has ended: twenty seconds."""


class NodeEndedError(StudioError):
    """A node of several that train together ended, so the others cannot train either."""


@dataclass(slots=True)
class _Companion:
    """One of them.

    Attributes:
        ask: Asks its node.
        host: Name of its machine.
        carried: What was brought to it.
    """

    ask: Ask
    host: str
    carried: CarriedRun


@dataclass(slots=True)
class Companions:
    """All nodes of a run but the first one.

    Attributes:
        address: Host and port where the processes meet.
        count: Number of nodes, with the first one.
    """

    address: str = ""
    count: int = 1
    _others: list[_Companion] = field(default_factory=list)
    _polls_since_end: int = 0

    def group_of(self, index: int) -> str:
        """Return the group of processes as one of them sees it; empty for a node alone.

        Args:
            index: Number of the process, from 0.
        """
        return "" if self.count == 1 else str(ProcessGroup(self.address, self.count, index))

    def bring(
        self,
        asks: Sequence[tuple[Ask, str]],
        workspace: Workspace,
        job: Job,
        plan: TrainingPlan,
        start: Callable[[Ask, str, str], None],
    ) -> None:
        """Copy the run to each node, and start its worker.

        Args:
            asks: Asks each of the other nodes; name of its machine.
            workspace: The workspace here.
            job: The run.
            plan: Its plan.
            start: Starts a worker: asks its node, the folder there, the group.
        """
        for index, (ask, host) in enumerate(asks, 1):
            carried = CarriedRun(ask, workspace, job, plan, copy=index)
            self._others.append(_Companion(ask, host, carried))
            start(ask, carried.bring(), self.group_of(index))

    def require_alive(self) -> None:
        """Check that no other node has ended long before the first one.

        Raises:
            NodeEndedError: One of them has.
        """
        ended = next((each for each in self._others if each.ask(Node.exit_code) is not None), None)
        if ended is None:
            return
        self._polls_since_end += 1
        if self._polls_since_end < GRACE_POLLS:
            return
        raise NodeEndedError(
            message(
                "The node {host} ended before the first node of the run: {reason}",
                host=ended.host,
                reason=ended.ask(Node.last_words) or message("its worker died."),
            ),
            "Resume the run: it continues from its last checkpoint.",
            "nodes",
        )

    def leave(self, *, remove: bool) -> None:
        """Release what was brought to them; their workers end with their actors.

        Args:
            remove: Remove it, unless another run uses it.
        """
        for each in self._others:
            each.ask(Node.leave, remove=remove)

    def close(self) -> None:
        """Close what was opened here."""
        for each in self._others:
            each.carried.close()


def apart(demand: Demand, count: int) -> list[dict[str, object]]:
    """Return the options of actors that Ray places on different nodes, all or none.

    Args:
        demand: Resources of each.
        count: Number of actors; one may be anywhere.
    """
    if count == 1:
        return [{}]
    from ray.util.placement_group import placement_group  # noqa: PLC0415 - only if there is Ray
    from ray.util.scheduling_strategies import (  # noqa: PLC0415
        PlacementGroupSchedulingStrategy,
    )

    bundle = {"CPU": demand.cores, "GPU": demand.gpus}
    bundle = {name: number for name, number in bundle.items() if number}
    group = placement_group([bundle] * count, strategy="STRICT_SPREAD")
    return [
        {
            "scheduling_strategy": PlacementGroupSchedulingStrategy(
                placement_group=group, placement_group_bundle_index=index
            )
        }
        for index in range(count)
    ]
