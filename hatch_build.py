"""The text of the package page: README.md without what needs files of the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^.*!\[.*\n+", re.MULTILINE)
_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)")


def page_of(readme: str) -> str:
    """Return a text without lines with pictures; links to files become their words."""
    return _RELATIVE_LINK.sub(r"\1", _PICTURE.sub("", readme))


class PackagePage(MetadataHookInterface):
    """Sets the field `readme` of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the text to the metadata."""
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": page_of(readme)}
