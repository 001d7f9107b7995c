"""Heads of networks: one module for each kind of output, named by the tasks."""

from __future__ import annotations

import importlib

from studio.engine.networks.heads.head import AnyHead, Head
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks import named_task
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.task import NetworkFamily, Task

__all__ = ["Head", "head_of", "output_of"]


def head_of(task: Task, output: Output | None = None) -> Head:
    """Return the head of the networks of a task.

    Args:
        task: The task.
        output: Output of the networks; None for any family, where there are several.
    """
    if output is not None:
        return _head(task.family(output))
    heads = [_head(each) for each in task.families]
    if len(heads) == 1:
        return heads[0]
    return AnyHead(tuple(zip(task.outputs, heads, strict=True)))


def output_of(spec: NetworkSpec) -> Output:
    """Return the output of a network: of the families of its task, that whose head it ends in.

    Args:
        spec: The network.

    Raises:
        StudioError: Its task is not installed.
    """
    task = named_task(spec.task)
    end = next((node for node in spec.nodes if node.id == spec.output), None)
    if len(task.families) > 1 and end is not None:
        for family in task.families:
            if _head(family).may_end(spec, end, task.activation):
                return family.output
    return task.output


def _head(family: NetworkFamily) -> Head:
    head: Head = importlib.import_module(family.head).HEAD
    return head
