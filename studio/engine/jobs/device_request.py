"""What a plan says of the device it trains on, read from its text.

`auto` is a GPU where there is one that can be used, otherwise the CPU. `cpu` is the CPU, `cpu:2`
the CPU as two logical devices that share every batch. `gpu` is any one GPU, `gpus:2` any two,
`gpu:1` the one of that number, `gpu:0,2` those two together. GPUs are numbered as the driver
numbers them, from 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

AUTO = "auto"
MOST_DEVICES = 64
"""More logical CPU devices, or GPUs of one machine, than anybody has."""
FORMS = "auto, cpu, cpu:2, gpu, gpu:1, gpu:0,2 or gpus:2"


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """The devices that a run wants.

    Attributes:
        kind: `auto` leaves the choice to the machine; a worker then takes a GPU if it sees one.
        indices: The GPUs that are named, ascending; empty where any will do.
        count: How many GPUs, or logical devices of the CPU.
    """

    kind: Literal["auto", "cpu", "gpu"]
    indices: tuple[int, ...] = ()
    count: int = 1


def is_ray_address(text: str) -> bool:
    """Whether a text can be the address of a Ray cluster: `ray://HOST:PORT`, or `HOST:PORT`."""
    found = re.fullmatch(r"(?:ray://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})", text)
    return found is not None and 0 < int(found[1]) < 2**16


def parse_device_request(text: str) -> DeviceRequest:
    """The request that a plan's text means; upper case and spaces do not matter.

    Raises:
        ValueError: It means nothing; the message says what was received and what is known.
    """
    words = re.sub(r"\s+", "", text).lower()
    if words in ("auto", "cpu", "gpu"):
        return DeviceRequest("auto" if words == AUTO else "cpu" if words == "cpu" else "gpu")
    name, _, numbers = words.partition(":")
    if name not in ("cpu", "gpu", "gpus") or not re.fullmatch(
        r"[0-9]{1,4}(,[0-9]{1,4})*", numbers
    ):
        raise ValueError(f'"{text}" is no device. Write {FORMS}.')
    values = tuple(int(number) for number in numbers.split(","))
    if name == "gpu":
        return _named(text, values)
    if len(values) > 1 or not 1 <= values[0] <= MOST_DEVICES:
        what = "logical devices of the CPU" if name == "cpu" else "GPUs"
        raise ValueError(
            f'"{text}" must say how many {what}: one number from 1 to {MOST_DEVICES}, as in '
            f"{name}:2."
        )
    return DeviceRequest("cpu" if name == "cpu" else "gpu", count=values[0])


def _named(text: str, indices: tuple[int, ...]) -> DeviceRequest:
    if len(set(indices)) < len(indices):
        raise ValueError(f'"{text}" names a GPU twice.')
    if max(indices) >= MOST_DEVICES:
        raise ValueError(f'"{text}": GPUs are numbered from 0 to {MOST_DEVICES - 1}.')
    return DeviceRequest("gpu", tuple(sorted(indices)), len(indices))
