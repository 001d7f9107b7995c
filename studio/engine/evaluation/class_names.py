"""Which answer of a model is meant by which class of a dataset: classes are matched by name.

Never imports NumPy: it is asked when the window starts.
"""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.errors import BadDataError

_SHOWN = 5


def missing_classes(
    model: Sequence[str], dataset: Sequence[str], counts: Sequence[int]
) -> list[str]:
    """Classes of a dataset that have images, and that a model does not know.

    Args:
        model: Names of what the model answers.
        dataset: Names of the classes of the dataset.
        counts: Images of each of them on which is measured.
    """
    known = set(model)
    return [
        name for name, count in zip(dataset, counts, strict=True) if count and name not in known
    ]


def refuse_missing(missing: Sequence[str], model: str) -> None:
    """Say which classes do not fit.

    Raises:
        BadDataError: There are some.
    """
    if not missing:
        return
    names = ", ".join(f'"{name}"' for name in missing[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    raise BadDataError(
        f"The model {model} does not know {names}{more}, of which the dataset has images.",
        "Choose a dataset whose classes are called as those of the model, rename them, or "
        "leave these images out.",
        "dataset",
    )
