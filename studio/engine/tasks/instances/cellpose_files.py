"""`_seg.npy` files of Cellpose: a pickled dictionary, of which only its arrays are read.

NumPy would execute what a pickle says. Here its instructions build data alone: calls become
`_Call`, which nothing executes, and an array is made of the bytes that stand in the file.
"""

from __future__ import annotations

import io
import pickletools
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from studio.engine.documents import DAMAGED_CONTENT
from studio.engine.errors import BadDataError
from studio.engine.tasks.segmentation.array_masks import require_mask

_MAGIC: Final = b"\x93NUMPY"
_OBJECTS: Final = b"'descr': '|O'"
_HEAD: Final = 256
_MAX_HEADER: Final = 10_000
_MAX_BYTES: Final = 2**31
_MAX_STEPS: Final = 1_000_000
"""Instructions of a pickle. Cellpose writes some hundreds, and some for each outline."""
_MAX_DEPTH: Final = 10_000
_MASKS: Final = "masks"
_ADVICE: Final = "save the masks as TIFF or PNG in Cellpose (Ctrl+N), or with io.save_masks"


def is_cellpose(data: bytes) -> bool:
    """Return True if a file begins as an array of objects, as `_seg.npy` does."""
    return data.startswith(_MAGIC) and _OBJECTS in data[:_HEAD]


def cellpose_masks(data: bytes) -> NDArray[Any]:
    """Return the number of the object of each pixel, shape (height, width).

    Raises:
        BadDataError: They are not in the file, or it is damaged or too large; a short reason.
    """
    if len(data) > _MAX_BYTES:
        raise BadDataError("it is larger than {limit} MB", limit=_MAX_BYTES // 2**20)
    file = io.BytesIO(data)
    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        read(file, max_header_size=_MAX_HEADER)
        array = _array(_found(_evaluated(file)))
    except BadDataError:
        raise
    except DAMAGED_CONTENT as error:
        raise BadDataError(
            "its masks cannot be read without executing it; {advice}", advice=_ADVICE
        ) from error
    return array.squeeze() if array.ndim > 2 else array


@dataclass(slots=True)
class _Name:
    """A class or function that a pickle names; it is not imported."""

    module: str
    name: str


@dataclass(slots=True)
class _Call:
    """A call that a pickle asks for; it is not executed."""

    function: object
    arguments: object
    state: object = None


class _Mark:
    """Begins the items of an instruction on the stack."""


@dataclass(slots=True)
class _Machine:
    """Stack and memory of a pickle.

    Attributes:
        stack: Values.
        memory: Values that are used again, by their number.
    """

    stack: list[Any] = field(default_factory=list)
    memory: dict[int, Any] = field(default_factory=dict)

    def above_mark(self) -> list[Any]:
        """Take the values above the last mark from the stack."""
        at = len(self.stack) - 1
        while not isinstance(self.stack[at], _Mark):
            at -= 1
            if at < 0:
                raise ValueError("no mark")
        values = self.stack[at + 1 :]
        del self.stack[at:]
        return values

    def step(self, name: str, argument: Any) -> None:  # noqa: ANN401 - of any instruction
        """Follow an instruction.

        Raises:
            ValueError: It is not one that dictionaries and arrays need.
        """
        stack = self.stack
        if name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _LITERALS:
            stack.append(argument)
        elif name in _EMPTY:
            stack.append(_EMPTY[name]())
        elif name in _COUNTED:
            count = _COUNTED[name]
            values = stack[len(stack) - count :]
            if len(values) < count:
                raise ValueError("the stack is empty")
            del stack[len(stack) - count :]
            stack.append(tuple(values))
        elif name in _ACTIONS:
            _ACTIONS[name](self, argument)
        else:
            raise ValueError(name)
        if len(stack) > _MAX_DEPTH:
            raise ValueError("the stack is too deep")


def _put(machine: _Machine, argument: Any) -> None:  # noqa: ANN401
    place = len(machine.memory) if argument is None else int(argument)
    machine.memory[place] = machine.stack[-1]


def _get(machine: _Machine, argument: Any) -> None:  # noqa: ANN401
    machine.stack.append(machine.memory[int(argument)])


def _global(machine: _Machine, argument: Any) -> None:  # noqa: ANN401
    module, _, name = str(argument).partition(" ")
    machine.stack.append(_Name(module, name))


def _stack_global(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    name, module = machine.stack.pop(), machine.stack.pop()
    machine.stack.append(_Name(str(module), str(name)))


def _reduce(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    arguments, function = machine.stack.pop(), machine.stack.pop()
    machine.stack.append(_Call(function, arguments))


def _build(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    state, target = machine.stack.pop(), machine.stack[-1]
    if isinstance(target, _Call):
        target.state = state


def _set_items(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    values = machine.above_mark()
    pairs = zip(values[::2], values[1::2], strict=True)
    machine.stack[-1].update({key: value for key, value in pairs if isinstance(key, str)})


def _set_item(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    value, key = machine.stack.pop(), machine.stack.pop()
    machine.stack[-1].update({key: value} if isinstance(key, str) else {})


def _appends(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    values = machine.above_mark()
    machine.stack[-1].extend(values)


def _append(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    value = machine.stack.pop()
    machine.stack[-1].append(value)


def _tuple(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    values = machine.above_mark()
    machine.stack.append(tuple(values))


def _list(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    values = machine.above_mark()
    machine.stack.append(values)


def _mark(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    machine.stack.append(_Mark())


def _nothing(machine: _Machine, _argument: Any) -> None:  # noqa: ANN401
    """Frames and versions change no value."""


_CONSTANTS: Final = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_LITERALS: Final = frozenset(
    {
        *("BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4", "BINFLOAT", "FLOAT"),
        *("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"),
        *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "SHORT_BINSTRING", "BINSTRING", "STRING"),
    }
)
_EMPTY: Final = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}
_COUNTED: Final = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_ACTIONS: Final = {
    "MEMOIZE": _put,
    "BINPUT": _put,
    "LONG_BINPUT": _put,
    "PUT": _put,
    "BINGET": _get,
    "LONG_BINGET": _get,
    "GET": _get,
    "GLOBAL": _global,
    "STACK_GLOBAL": _stack_global,
    "REDUCE": _reduce,
    "NEWOBJ": _reduce,
    "BUILD": _build,
    "SETITEMS": _set_items,
    "SETITEM": _set_item,
    "APPENDS": _appends,
    "APPEND": _append,
    "TUPLE": _tuple,
    "LIST": _list,
    "MARK": _mark,
    "PROTO": _nothing,
    "FRAME": _nothing,
}


def _evaluated(file: io.BytesIO) -> object:
    """Return the value of a pickle as data."""
    machine = _Machine()
    for number, (code, argument, _) in enumerate(pickletools.genops(file)):
        if number > _MAX_STEPS:
            raise ValueError("too many instructions")
        if code.name == "STOP":
            return machine.stack[-1]
        machine.step(code.name, argument)
    raise ValueError("no end")


def _found(value: object) -> object:
    """Return the masks of the dictionary that an array of objects holds.

    Raises:
        BadDataError: It has none.
    """
    items = value.state if isinstance(value, _Call) else None
    content = items[-1][0] if isinstance(items, tuple) and items and items[-1] else None
    if not isinstance(content, dict) or _MASKS not in content:
        raise BadDataError("it has no masks, as files of Cellpose do")
    return content[_MASKS]


def _array(value: object) -> NDArray[Any]:
    """Return the array of a call that makes one.

    Raises:
        ValueError: It makes something else.
        BadDataError: It is no mask; the message is a short reason.
    """
    if not isinstance(value, _Call) or not isinstance(value.state, tuple):
        raise TypeError("no array")
    _, shape, kind, is_fortran, data = value.state
    dtype = _dtype(kind)
    shape = tuple(int(side) for side in shape)
    require_mask(shape, dtype)
    if isinstance(data, str):  # of protocols before 3
        data = data.encode("latin-1")
    count = int(np.prod(shape, dtype=np.int64))
    flat = np.frombuffer(data, dtype, count)
    return flat.reshape(shape, order="F" if is_fortran else "C")


def _dtype(value: object) -> np.dtype[Any]:
    """Return the type of a call that makes one.

    Raises:
        ValueError: It makes something else.
    """
    if not isinstance(value, _Call) or not isinstance(value.arguments, tuple):
        raise TypeError("no type")
    found = np.dtype(str(value.arguments[0]))
    state = value.state
    order = state[1] if isinstance(state, tuple) and len(state) > 1 else "|"
    return found.newbyteorder(">" if order == ">" else "<")
