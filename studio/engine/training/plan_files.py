"""Plans of trainings as files that people write: JSON, YAML or TOML.

    dataset: flowers
    network: mobilenet_v2
    weights: imagenet
    epochs: 20

The dataset is named by its name or its id, so a plan fits into another workspace.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from studio.engine.errors import StudioError
from studio.engine.files import read_failure
from studio.engine.messages import as_message
from studio.engine.workspace import RecordKind, Workspace

MAX_BYTES = 1_000_000
"""A plan with a whole network has some hundred kilobytes."""


def _from_yaml(text: str) -> object:
    if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
        # A few references could stand for millions of values.
        raise ValueError("references (*name) are not read")
    return yaml.safe_load(text)


_READERS: Mapping[str, Callable[[str], object]] = {
    ".json": json.loads,
    ".yaml": _from_yaml,
    ".yml": _from_yaml,
    ".toml": tomllib.loads,
}
PLAN_SUFFIXES = tuple(_READERS)


def read_plan_file(path: Path, workspace: Workspace) -> dict[str, Any]:
    """Return the fields of a plan in a file.

    Args:
        path: The file; its suffix says its format.
        workspace: Contains the dataset that it names, whose id is returned.

    Raises:
        StudioError: It cannot be read.
    """
    data = _parsed(path)
    if isinstance(data.get("dataset"), str) and data["dataset"]:
        data["dataset"] = _dataset_id(workspace, data["dataset"])
    return data


def plan_text(fields: Mapping[str, object], dataset: str) -> str:
    """Return a plan as a YAML file that fits into another workspace.

    Args:
        fields: The plan as plain data.
        dataset: Name of its dataset there.
    """
    plain: str = yaml.safe_dump(
        {**fields, "dataset": dataset}, allow_unicode=True, sort_keys=False, width=100
    )
    return plain


def _parsed(path: Path) -> dict[str, Any]:
    try:
        data = _reader_of(path)(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise StudioError(
            "{path} is not a plan: {reason}.",
            "Choose a JSON, YAML or TOML file of a plan.",
            "plan",
            path=path,
            reason=as_message(_reason(error)),
        ) from error
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise StudioError(
            "{path} is not a plan: it contains no fields.",
            "Write one field and its value per line.",
            "plan",
            path=path,
        )
    return data


def _reader_of(path: Path) -> Callable[[str], object]:
    """Return the reader for a file.

    Raises:
        ValueError: It is no plan, by its suffix or its size.
    """
    reader, size = _READERS.get(path.suffix.lower()), path.stat().st_size
    if reader is None:
        raise ValueError(f"its suffix is none of {', '.join(PLAN_SUFFIXES)}")
    if size > MAX_BYTES:
        raise ValueError(f"it has {size:,} bytes, more than {MAX_BYTES:,}")
    return reader


def _reason(error: Exception) -> str:
    is_known = isinstance(error, OSError | UnicodeDecodeError | json.JSONDecodeError)
    text = read_failure(error) if is_known else str(error)
    return " ".join(text.split()).removesuffix(".")


def _dataset_id(workspace: Workspace, text: str) -> str:
    """Return the id of a dataset; an unknown name as it is, for the check of the plan."""
    named = None
    if workspace.record(RecordKind.DATASET, text) is None:
        named = workspace.named(RecordKind.DATASET, text)
    return text if named is None else named.id
