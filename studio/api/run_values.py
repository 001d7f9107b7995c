"""Values of training runs, here or on a server."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from studio.api.libraries import library
from studio.api.notebook import curves, figure_of_curves
from studio.engine.training.history import RunHistory

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class RunValues:
    """Values that a run has reached, of its journal."""

    @property
    def name(self) -> str:
        """Name of the run."""
        raise NotImplementedError

    def read(self) -> RunHistory:
        """Return the history of the run as it is now, with all its events."""
        raise NotImplementedError

    @property
    def history(self) -> dict[str, list[float]]:
        """Values after each epoch by their names, as in `History.history` of Keras."""
        epochs = self.read().epochs
        names = dict.fromkeys(name for epoch in epochs for name in epoch.metrics)
        return {name: [epoch.value(name) for epoch in epochs] for name in names}

    @property
    def best(self) -> dict[str, float]:
        """Metrics at the best epoch, whose weights are kept; empty before the first."""
        best = self.read().best
        return dict(best.metrics) if best else {}

    def step_values(self, metric: str) -> list[float]:
        """Return a metric after every single step, such as "loss"."""
        return list(self.read().steps_of(metric))

    def to_pandas(self) -> pd.DataFrame:
        """Return the values after each epoch as a data frame of pandas.

        Raises:
            StudioError: pandas is not installed.
        """
        frame: pd.DataFrame = library("pandas", "to_pandas").DataFrame(self.history)
        frame.index = frame.index + 1
        frame.index.name = "epoch"
        return frame

    def plot(self) -> Figure:
        """Return the curves as a figure of matplotlib.

        Raises:
            StudioError: matplotlib is not installed.
        """
        return figure_of_curves(self.history, self.name)

    def _repr_html_(self) -> str:
        """Return the state and the curves for a notebook."""
        return f"<p>{escape(repr(self))}</p>{curves(self.history)}"
