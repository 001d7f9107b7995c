"""Which runs a table shows and in what order. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from studio.ui.pages.train.runs_columns import RunRow, is_missing, sort_key


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are shown.

    Attributes:
        text: Words that all stand somewhere in what is written about a run.
        state: Only runs in this state; empty for all.
        tag: Only runs with this tag; empty for all.
        group: Only runs of this group, `""` for those of none; None for all.
    """

    text: str = ""
    state: str = ""
    tag: str = ""
    group: str | None = None

    def takes(self, row: RunRow) -> bool:
        """Whether a run is shown."""
        info = row.entry.info
        return (
            (not self.state or row.entry.state == self.state)
            and (not self.tag or self.tag in info.tags)
            and (self.group is None or info.group == self.group)
            and (not self.text or row.matches(self.text.casefold().split()))
        )


def sorted_rows(rows: Iterable[RunRow], keys: Sequence[tuple[str, bool]]) -> list[RunRow]:
    """Runs sorted by columns, each with whether downwards; those without a value come last."""
    found = list(rows)
    for key, descending in reversed(keys):
        pairs = [(row.value(key), row) for row in found]
        there = [pair for pair in pairs if not is_missing(pair[0])]
        if any(isinstance(value, str) for value, _ in there):
            there = [(sort_key(value), row) for value, row in there]
        there.sort(key=itemgetter(0), reverse=descending)
        found = [row for _, row in there] + [row for value, row in pairs if is_missing(value)]
    return found


def grouped_rows(rows: Iterable[RunRow]) -> list[tuple[str, list[RunRow]]]:
    """Groups by name with their runs, whose order stays; runs of no group come last."""
    found: dict[str, list[RunRow]] = {}
    for row in rows:
        found.setdefault(row.entry.info.group, []).append(row)
    return sorted(found.items(), key=lambda pair: (not pair[0], pair[0].casefold()))
