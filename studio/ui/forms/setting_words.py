"""A setting of a run as people read it, in their language."""

from __future__ import annotations

from studio.engine.training.run_settings import setting_text
from studio.ui.language import translated
from studio.ui.widgets.figures import number


def setting_words(name: str, value: object) -> str:
    """Return the value of a setting: a number by the locale, a choice or switch by its word.

    Args:
        name: Name of the setting, dotted.
        value: Value in the plan.
    """
    if isinstance(value, float):
        return number(value)
    if isinstance(value, tuple) and value:
        parts = [setting_words(name, each) for each in value]
        return ("; " if any("," in part for part in parts) else ", ").join(parts)
    return translated(setting_text(name, value))
