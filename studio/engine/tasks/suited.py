"""Which tasks an entry of a table suits, by the targets that their networks learn."""

from __future__ import annotations


class SuitedToTargets:
    """Suits networks that learn some kinds of targets.

    Attributes:
        targets: The kinds, see `Task.target_kind`; empty for all.
    """

    __slots__ = ()
    targets: tuple[str, ...]

    def suits(self, target_kind: str) -> bool:
        """Return True if it can be used with networks that learn a kind of targets."""
        return not self.targets or target_kind in self.targets
