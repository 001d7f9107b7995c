"""State that notifies its observers of changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, ParamSpec

Change = ParamSpec("Change")


class Document(Generic[Change]):
    """Base of documents; `Change` is the value passed to observers."""

    def __init__(self) -> None:
        self._observers: list[Callable[Change, None]] = []

    def observe(self, observer: Callable[Change, None]) -> Callable[[], None]:
        """Call an observer after every change, until the returned function is called."""
        self._observers.append(observer)
        return partial(self._observers.remove, observer)

    def _notify(self, *args: Change.args, **kwargs: Change.kwargs) -> None:
        for observer in tuple(self._observers):
            observer(*args, **kwargs)
