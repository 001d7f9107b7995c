"""Ways to spoil a file, each decided by a seeded generator, so that a failure comes again."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Mutate = Callable[[bytes, Random], bytes]

_NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)
_TEXTS = (
    "",
    " ",
    "\0",
    "\n\r\t",
    "../../outside",
    "/tmp/outside",
    "C:\\outside",
    "\u202eكلمة",
    "🐈‍⬛" * 40,
    "x" * 20_000,
    "%s%n{0}{x!r}",
    "-1",
    "nan",
    "1e999",
    "__class__",
    "a.b.c",
)
_VALUES: tuple[object, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**53 + 1,
    2**63,
    -(2**63) - 1,
    10**30,
    1e308,
    -1e308,
    5e-324,
    float("nan"),
    float("inf"),
    -float("inf"),
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"__proto__": 1},
    *_TEXTS,
)
# What no encoder would write, put in as it stands.
_RAW = (
    b'"\\ud800"',
    b'"\\udfff\\ud800"',
    b"\xff\xfe",
    b"1" * 5000,
    b"1e400",
    b"-",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"[[[[[[[[[[]]]]]]]]]]",
    b"NaN",
    b"Infinity",
    b'{"a": 1, "a": 2}',
    b"\xef\xbb\xbf{}",
    b"// comment",
    b"'single'",
)


def spoiled_bytes(data: bytes, random: Random) -> bytes:
    """Flip, cut, copy, insert or overwrite, one to four times."""
    result = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        random.choice(_ON_BYTES)(result, random)
    return bytes(result)


def spoiled_json(data: bytes, random: Random) -> bytes:
    """Mostly another value, key or type somewhere in a JSON document; sometimes other bytes."""
    if random.random() < 0.2:
        return spoiled_bytes(data, random)
    document = json.loads(data)
    for _ in range(random.choice((1, 1, 2, 3))):
        document = _with_change(document, random)
    text = json.dumps(document).encode()
    if random.random() < 0.15:
        text = text.replace(b"null", random.choice(_RAW), 1)
    return text


def spoiled_lines(data: bytes, random: Random) -> bytes:
    """Some lines of a file with JSON on each are spoiled, doubled, dropped or exchanged."""
    lines = data.splitlines()
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(lines))
        kind = random.randrange(6)
        if kind < 3:
            lines[at] = _spoiled_line(lines[at], random)
        elif kind == 3:
            lines.insert(random.randrange(len(lines)), lines[at])
        elif kind == 4 and len(lines) > 1:
            del lines[at]
        else:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines) + (b"" if random.random() < 0.1 else b"\n")


def _spoiled_line(line: bytes, random: Random) -> bytes:
    try:
        return spoiled_json(line, random)
    except ValueError:
        return spoiled_bytes(line, random)


def spoiled_text(data: bytes, random: Random) -> bytes:
    """Words, separators and lines of a text file exchanged for hostile ones."""
    if random.random() < 0.3:
        return spoiled_bytes(data, random)
    lines = data.split(b"\n")
    for _ in range(random.choice((1, 2, 4))):
        at = random.randrange(len(lines))
        words = lines[at].split(random.choice((b" ", b",", b"\t", b"=", b"/")))
        text = random.choice(_TEXTS).encode()
        words[random.randrange(len(words))] = random.choice((text, random.choice(_RAW)[:500]))
        lines[at] = random.choice((b" ", b",", b"\t", b'"', b"=", b"\0")).join(words)
    return b"\n".join(lines)


def spoiled_xml(data: bytes, random: Random) -> bytes:
    """Texts and tags of an XML document exchanged for others, dropped or doubled."""
    if random.random() < 0.25:
        return spoiled_bytes(data, random)
    parts = re.split(rb"(<[^>]*>)", data)
    for _ in range(random.choice((1, 2, 4))):
        at = random.randrange(len(parts))
        kind = random.randrange(5)
        if kind < 2 and not parts[at].startswith(b"<"):
            parts[at] = random.choice((*(text.encode() for text in _TEXTS), *_RAW))
        elif kind < 3:
            parts[at] = parts[random.randrange(len(parts))]
        elif kind == 3:
            parts[at] *= random.choice((0, 2, 3000))
        else:
            parts[at] = random.choice((b"<!DOCTYPE a>", b"<![CDATA[x]]>", b"<?x y?>", b"&lt;&a;"))
    return b"".join(parts)


def _flip(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 2, 8)) if data else 0):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _cut(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data) + 1) :]


def _drop(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data) + 1)
    del data[at : at + random.choice((1, 2, 4, 16, 200))]


def _double(data: bytearray, random: Random) -> None:
    at, to = random.randrange(len(data) + 1), random.randrange(len(data) + 1)
    data[to:to] = data[at : at + random.choice((1, 4, 16, 200, 2000))]


def _insert(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data) + 1)
    data[at:at] = random.randbytes(random.choice((1, 2, 8, 64)))


def _number(data: bytearray, random: Random) -> None:
    """Lengths, counts and offsets are what parsers believe."""
    size = random.choice((1, 2, 4, 8))
    value = random.choice(_NUMBERS) & (256**size - 1)
    # Headers stand at the beginning and, of zip and Parquet, at the end.
    near = random.choice((64, 512, len(data)))
    at = random.randrange(min(near, len(data)) + 1)
    if random.random() < 0.3:
        at = max(0, len(data) - at)
    data[at : at + size] = value.to_bytes(size, random.choice(("little", "big")))


def _noise(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data) + 1)
    size = min(len(data) - at, random.choice((1, 4, 32, 256)))
    data[at : at + size] = random.randbytes(size)


_ON_BYTES: Sequence[Callable[[bytearray, Random], None]] = (
    _flip,
    _flip,
    _cut,
    _drop,
    _double,
    _insert,
    _number,
    _number,
    _number,
    _noise,
)


def _with_change(document: Any, random: Random) -> Any:
    """A copy with another value, key or length at a random place."""
    document = copy.deepcopy(document)
    locations = list(_containers(document))
    if not locations or random.random() < 0.03:
        return random.choice(_VALUES)
    holder, key = random.choice(locations)
    kind = random.randrange(10)
    if kind < 6:
        holder[key] = copy.deepcopy(random.choice(_VALUES))
    elif kind == 6:
        del holder[key]
    elif kind == 7 and isinstance(holder, dict):
        holder[random.choice(_TEXTS)] = holder.pop(key)
    elif kind == 8:
        holder[key] = [copy.deepcopy(holder[key])] * random.choice((0, 2, 3000))
    else:
        other, name = random.choice(locations)
        holder[key] = copy.deepcopy(other[name])
    return document


def _containers(document: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            keys: list[Any] = list(current)
        elif isinstance(current, list):
            keys = list(range(len(current)))
        else:
            continue
        found += [(current, key) for key in keys]
        waiting += [current[key] for key in keys]
    return found
