"""Jobs that another machine runs, as the queue sees them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from studio.engine.jobs.devices import CPU, parse_device_request
from studio.engine.messages import Message, message

HANDED_OVER: Final = ".handed-over.json"
"""In the folder of a job while another machine runs it, whether this one is connected or not."""
_HERE: Final = re.compile(r"cpu|gpu:\d+")


def is_here(device: str) -> bool:
    """Return True for a device of this machine."""
    return _HERE.fullmatch(device) is not None


def place_of(devices: Iterable[str]) -> str:
    """Return the place that the devices of a job are at; empty for this machine."""
    for device in devices:
        if not is_here(device):
            return device.partition(":")[0]
    return ""


def on_machine(host: str, device: str) -> str:
    """Return the name of a device of another machine: `gpu-box:gpu:0`.

    Args:
        host: The machine.
        device: Name of the device there.
    """
    return f"{host}:{device}"


def split_machine(text: str) -> tuple[str, str]:
    """Return the machine and the device of a request such as `gpu-box:gpu:0`.

    The machine is empty for one of this machine; the device is `auto` unless it is named.
    """
    first, sign, rest = text.strip().partition(":")
    if not sign or not first or _is_device(first) or (rest and not _is_device(rest)):
        return "", text
    return first, rest or "auto"


def _is_device(text: str) -> bool:
    return text.partition(":")[0].strip().lower() in ("auto", CPU, "gpu", "gpus")


def cut_off(host: str) -> Message:
    """Return the message that a machine cannot be reached that runs a job.

    Args:
        host: The machine.
    """
    return message("{host} cannot be reached; the job continues there", host=host)


def reached_again(host: str) -> Message:
    """Return the message that the connection to a machine is back.

    Args:
        host: The machine.
    """
    return message("{host} is reached again", host=host)


def is_cut_off(text: str) -> bool:
    """Return True for the message `cut_off`."""
    return isinstance(text, Message) and text.template == cut_off("").template


def is_of_connection(line: bytes) -> bool:
    """Return True for a line of a journal with one of these messages: no machine writes it."""
    templates = cut_off("").template, reached_again("").template
    return any(each.encode() in line for each in templates)


HERE: Final = "here"
"""Name of this machine as the target of a move."""


def target_of(text: str) -> tuple[str, str]:
    """Return the machine and the device that a move names.

    Both are empty where they are not named: `gpu-box` is a machine, `gpu:1` a device of this one.
    """
    machine, device = split_machine(text)
    if machine:
        return ("" if machine == HERE else machine), device
    try:
        parse_device_request(text)
    except ValueError:
        place = text.strip()
        return ("" if place == HERE else place), ""
    return "", device


def is_handed_over(folder: Path) -> bool:
    """Return True if another machine runs the job in a folder."""
    return (folder / HANDED_OVER).exists()
