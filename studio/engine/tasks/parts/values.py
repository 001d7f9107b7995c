"""Named numbers."""

from __future__ import annotations

from pydantic import BaseModel

from studio.engine.tasks.parts.part import PredictionPart


class NamedValue(BaseModel, frozen=True):
    """A predicted quantity with its prediction interval, in its unit.

    Attributes:
        name: Name of the quantity.
        value: The prediction.
        low: Lower end of the interval; None without an interval.
        high: Upper end of the interval; None without an interval.
        unit: Unit of the quantity; empty without a unit.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = ""


class Values(PredictionPart, frozen=True):
    """Numbers about a picture as a whole, each with a name.

    Examples:
        >>> Values(quantities=(NamedValue(name="weight", value=3.5, unit="g"),)).brief()
        'weight 3.5 g'

    Attributes:
        quantities: The numbers, in the order of the outputs.
    """

    quantities: tuple[NamedValue, ...] = ()

    def document(self) -> dict[str, object]:
        """Return the values by name, their intervals, and their units."""
        more = {
            "intervals": {
                each.name: [each.low, each.high]
                for each in self.quantities
                if each.low is not None
            },
            "units": {each.name: each.unit for each in self.quantities if each.unit},
        }
        return {"values": self.numbers()} | {name: found for name, found in more.items() if found}

    def lines(self) -> list[str]:
        """Return a line for each quantity, with its interval."""
        return [
            f"{each.value:10.4g} {each.unit}  {each.name}".replace("   ", "  ")
            + ("" if each.low is None else f"  ({each.low:.4g} to {each.high:.4g})")
            for each in self.quantities
        ]

    def cells(self) -> dict[str, object]:
        """Return each quantity, and the ends of its interval."""
        cells: dict[str, object] = {}
        for each in self.quantities:
            cells[each.name] = each.value
            if each.low is not None:
                cells |= {f"{each.name}_low": each.low, f"{each.name}_high": each.high}
        return cells

    def brief(self) -> str:
        """Return the names of the quantities with their values."""
        words = (f"{each.name} {each.value:.3g} {each.unit}".strip() for each in self.quantities)
        return ", ".join(words)

    def numbers(self) -> dict[str, float]:
        """Return the values by name."""
        return {each.name: each.value for each in self.quantities}
