"""Fields of plans whose job may run on another machine, or on a chosen device of this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import field_validator, model_validator

from studio.engine.jobs.devices import AUTO, parse_device_request
from studio.engine.jobs.executors.handed_over import on_machine, split_machine
from studio.engine.jobs.types import Requirements
from studio.engine.plans import Plan, expert_field


class PlacedPlan(Plan):
    """Base of plans with a machine and a device.

    Examples:
        >>> plan = PlacedPlan(device="gpu-box:gpu:0")
        >>> plan.machine, plan.device
        ('gpu-box', 'gpu:0')
    """

    device: str = expert_field(
        AUTO,
        label="Device",
        help="Device to compute on: auto, cpu, gpu (any) or gpu:1.",
        why="Auto uses a GPU if there is one.",
    )
    machine: str = expert_field(
        "",
        label="Machine",
        help="Machine that computes: one of studio machines list; empty for this computer.",
        why="A computer with a GPU that ssh reaches. Data are copied once.",
    )

    @model_validator(mode="before")
    @classmethod
    def _read_machine(cls, data: object) -> object:
        """Read a device with its machine, such as `gpu-box:gpu:0`."""
        if not isinstance(data, dict) or not isinstance(data.get("device"), str):
            return data
        machine, device = split_machine(data["device"])
        return {**data, "machine": machine, "device": device} if machine else data

    @field_validator("device")
    @classmethod
    def _is_device(cls, text: str) -> str:
        parse_device_request(text)
        return text


def placed_requirements(plan: PlacedPlan, changes: Mapping[str, Any]) -> Requirements:
    """Return the requirements of a job with a network, for `JobType.requirements`.

    Args:
        plan: Its plan.
        changes: Changes of the plan since, by dotted name.
    """
    device = str(changes.get("device", plan.device))
    machine = str(changes.get("machine", plan.machine))
    if machine:  # its worker here computes nothing, and the queue there knows what is free
        return Requirements(place=on_machine(machine, device))
    return Requirements(device, can_use_gpus=True)
