"""Folders of images that Studio writes itself: there whole, or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.files import PARTIAL, disk_full_is_clear, move, remove_folder


def written_once(target: Path, count: int, what: str, write: Callable[[Path], None]) -> Path:
    """Let `write` fill a folder that then becomes `target`; one that is whole is used as it is.

    Args:
        target: The folder of class folders of PNG files.
        count: How many files it holds when it is whole.
        what: What they are, for messages: `"digits"`.
        write: Fills a folder; may raise.

    Returns:
        `target`.

    Raises:
        StudioError: A folder of that name is there and does not hold them.
        DiskFullError: No space was left; nothing remains.
    """
    if target.exists():
        found = sum(file.stat().st_size > 0 for file in target.glob("*/[0-9]*.png"))
        if found != count:
            raise StudioError(
                f"{target} is already there and holds {found} of the {count} {what}.",
                "Move or delete that folder, then try again.",
                str(target),
            )
        return target
    with disk_full_is_clear(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(
            tempfile.mkdtemp(prefix=f".{target.name}-", suffix=PARTIAL, dir=target.parent)
        )
        try:
            write(partial)
            partial.chmod(0o755)  # mkdtemp gives a folder to its owner alone
            move(partial, target)
        finally:
            remove_folder(partial, ignore_errors=True)
    return target
