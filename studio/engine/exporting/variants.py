"""A format in a precision: what one exported file is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.exporting.formats import FORMATS, PRECISIONS, ExportFormat, Precision

ALL = "all"


@dataclass(frozen=True, slots=True)
class Variant:
    """One file that can be written; as text `tflite:int8`."""

    format: ExportFormat
    precision: Precision

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `FORMAT` or `FORMAT:PRECISION`.

        Raises:
            StudioError: There is no such format, or it has no such precision.
        """
        name, _, precision = text.partition(":")
        chosen = FORMATS[name]
        wanted = precision or chosen.precisions[0]
        for known in chosen.precisions:
            if known == wanted:
                return cls(chosen, known)
        if wanted not in PRECISIONS:
            hint = did_you_mean(wanted, PRECISIONS)
            raise StudioError(f'There is no precision "{wanted}".', hint, "precision")
        raise StudioError(
            f'The format {chosen.label} cannot be written in the precision "{wanted}".',
            f"It has: {', '.join(chosen.precisions)}.",
            "precision",
        )

    @property
    def name(self) -> str:
        """As in plans."""
        return f"{self.format.name}:{self.precision}"

    @property
    def label(self) -> str:
        """As shown to people."""
        return f"{self.format.label} {self.precision}"

    @property
    def ending(self) -> str:
        """What the name of its folder ends in; the usual precision is not said."""
        usual = self.precision == self.format.precisions[0]
        return self.format.name if usual else f"{self.format.name}-{self.precision}"

    def require_packages(self) -> None:
        """Refuse what cannot be written here.

        Raises:
            StudioError: Names the packages and what to type.
        """
        missing = self.format.missing()
        if missing:
            raise StudioError(
                f"The format {self.format.label} needs {', '.join(missing)}, which "
                f"{'is' if len(missing) == 1 else 'are'} not installed.",
                f"Install it: {self.format.install}",
                "format",
            )


def every_variant(*, installed: bool) -> list[Variant]:
    """All variants in which a model is handed on.

    Args:
        installed: Leave out those whose packages are missing.
    """
    return [
        Variant(each, precision)
        for each in FORMATS
        if each.is_model and not (installed and each.missing())
        for precision in each.precisions
    ]


def chosen_variants(formats: Iterable[str], precisions: Iterable[str]) -> list[Variant]:
    """What a person means by lists of formats and precisions; either may be `all`.

    Without a precision a format that was named is written in its usual one, and `all` formats in
    every precision that they have.

    Raises:
        StudioError: A format or precision is not known, or a format that was named lacks it.
    """
    names, wanted = list(formats), list(precisions)
    every = every_variant(installed=True)
    if names == [ALL]:
        if not wanted or wanted == [ALL]:
            return every
        for precision in wanted:
            if precision not in PRECISIONS:
                hint = did_you_mean(precision, PRECISIONS)
                raise StudioError(f'There is no precision "{precision}".', hint, "precision")
        return [variant for variant in every if variant.precision in wanted]
    found = []
    for name in names:
        if wanted == [ALL]:
            found += [Variant(FORMATS[name], each) for each in FORMATS[name].precisions]
        elif wanted:
            found += [Variant.parse(f"{name}:{each}") for each in wanted]
        else:
            found.append(Variant.parse(name))
    return list(dict.fromkeys(found))
