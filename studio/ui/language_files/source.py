"""One text to translate."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A text of the program.

    Attributes:
        context: Under which name it is looked up.
        text: In English.
        numbers: The places whose values are written as numbers in English: `{1:.2f}`. A text is
            the same whether they are known or not.
    """

    context: str
    text: str
    numbers: tuple[int, ...] = field(default=(), compare=False)

    @property
    def plural(self) -> bool:
        """Whether a number decides about its form."""
        return "%n" in self.text


class OpenTextError(Exception):
    """A text is translated whose words are not in the source: nobody could collect it."""
