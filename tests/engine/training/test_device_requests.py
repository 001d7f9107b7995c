"""The device of a plan: what its text means, and the error if it is invalid."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.jobs.devices import DeviceRequest, parse_device_request


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auto", DeviceRequest("auto")),
        ("cpu", DeviceRequest("cpu")),
        ("cpu:2", DeviceRequest("cpu", count=2)),
        ("gpu", DeviceRequest("gpu")),
        ("gpu:1", DeviceRequest("gpu", (1,))),
        ("gpu:2,0", DeviceRequest("gpu", (0, 2), 2)),
        ("gpus:2", DeviceRequest("gpu", count=2)),
        (" GPU : 0, 2 ", DeviceRequest("gpu", (0, 2), 2)),
    ],
)
def test_what_a_text_means(text: str, expected: DeviceRequest) -> None:
    assert parse_device_request(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a device"),
        ("tpu", "auto, cpu, cpu:2, gpu, gpu:1, gpu:0,2 or gpus:2"),
        ("gpu:", "is not a device"),
        ("gpu:-1", "is not a device"),
        ("gpu:٣", "is not a device"),
        ("gpu:1,1", "contains a GPU twice"),
        ("gpu:64", "from 0 to 63"),
        ("gpus:0", "how many GPUs"),
        ("gpus:1,2", "how many GPUs"),
        ("cpu:0", "how many logical devices of the CPU"),
        ("cpu:65", "from 1 to 64"),
        ("auto:1", "is not a device"),
    ],
)
def test_invalid_texts_are_reported(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"device|GPU") as refused:
        parse_device_request(text)
    assert said in str(refused.value)
    assert f'"{text}"' in str(refused.value)


@given(st.sets(st.integers(0, 63), min_size=1), st.randoms())
def test_named_gpus_come_back_in_order(indices: set[int], random: object) -> None:
    shuffled = list(indices)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a Random
    request = parse_device_request("gpu:" + ",".join(map(str, shuffled)))
    assert request == DeviceRequest("gpu", tuple(sorted(indices)), len(indices))


@given(st.integers(1, 64))
def test_counts(count: int) -> None:
    assert parse_device_request(f"gpus:{count}") == DeviceRequest("gpu", (), count)
    assert parse_device_request(f"cpu:{count}") == DeviceRequest("cpu", (), count)


@given(st.text(alphabet="acgpsu:,0123456789 -é", max_size=12))
def test_every_text_is_a_device_choice_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        request = parse_device_request(text)
        assert request.count >= 1
        assert request.indices in ((), tuple(sorted(request.indices)))
        assert all(0 <= index < 64 for index in request.indices)
