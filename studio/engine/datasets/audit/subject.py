"""What every check is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import Action, Finding, Severity
from studio.engine.datasets.audit.guesses import Guesses
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.datasets.audit.twins import Twins
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.store import Store


@dataclass(frozen=True, slots=True)
class Words:
    """How a finding is told.

    Attributes:
        message: One sentence; `{count}` stands for the number.
        suggestion: What to do.
    """

    message: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A dataset under audit.

    Attributes:
        store: The dataset, in the version under audit.
        plan: What counts.
        measures: Of every image that the store shows.
        twins: Images that show the same.
        skipped: Files that the import left out.
        sides: Width and height of the original file of each measured image in pixels, M x 2, 0
            where it could not be read; None where there are no files.
        guesses: What the images are taken for by who never learned from them, or why that is not
            known.
    """

    store: Store
    plan: AuditPlan
    measures: Measures
    twins: Twins
    skipped: list[Skipped]
    sides: NDArray[np.int32] | None
    guesses: Guesses | str

    def images(
        self,
        kind: str,
        which: NDArray[np.bool_],
        words: Words,
        severity: Severity = "warning",
        actions: tuple[Action, ...] = ("exclude",),
    ) -> Finding | None:
        """A finding about images; None where there is none.

        Args:
            kind: Name of the check.
            which: Of the measured images, those that it is about, M.
            words: How it is told.
            severity: How bad it is.
            actions: Fixes that are offered.
        """
        rows = self.measures.rows[which].tolist()
        if not rows:
            return None
        return Finding(
            kind=kind,
            severity=severity,
            message=words.message.format(count=f"{len(rows):,}"),
            suggestion=words.suggestion,
            count=len(rows),
            rows=rows,
            paths=self.paths(rows),
            actions=actions,
        )

    def pairs(
        self,
        kind: str,
        pairs: NDArray[np.int64],
        similarity: NDArray[np.float64],
        words: Words,
        severity: Severity,
        actions: tuple[Action, ...],
    ) -> Finding | None:
        """A finding about pairs of rows, K x 2; None where there is none."""
        if not len(pairs):
            return None
        rows = np.unique(pairs).tolist()
        return Finding(
            kind=kind,
            severity=severity,
            message=words.message.format(count=f"{len(pairs):,}"),
            suggestion=words.suggestion,
            count=len(pairs),
            rows=rows,
            paths=self.paths(rows),
            pairs=[(first, second) for first, second in pairs.tolist()],
            similarity=[round(value, 4) for value in similarity.tolist()],
            actions=actions,
        )

    def paths(self, rows: list[int]) -> list[str]:
        """Where images came from."""
        return [self.store.paths[row] for row in rows]
