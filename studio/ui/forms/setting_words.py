"""Settings of runs as displayed, in the language of the window."""

from __future__ import annotations

from studio.engine.training.run_settings import setting_text
from studio.ui.language import translated
from studio.ui.widgets.figures import number


def setting_words(name: str, value: object) -> str:
    """Format the value of a setting: numbers by the locale, choices and switches by their labels.

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
