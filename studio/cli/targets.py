"""Files written for the user of the command line; `--force` allows replacing existing ones."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.verb import Session
from studio.engine.errors import StudioError
from studio.engine.files import user_path


def add_force_option(parser: argparse.ArgumentParser) -> None:
    """Add `--force`, which every verb that writes files for its user has."""
    parser.add_argument("--force", action="store_true", help="replace existing files")


def target_file(session: Session, text: str | Path, option: str) -> Path:
    """Return the absolute path of a file to write; call it before the work begins.

    Args:
        session: The call; its `--force` allows replacing.
        text: The path as typed.
        option: The option that named it, without dashes.

    Raises:
        StudioError: A file is there and `--force` is not given, or it is a folder.
    """
    path = user_path(text).absolute()
    if path.is_dir():
        raise StudioError(f"{path} is a folder.", "Name a file in it.", option)
    if path.exists() and not session.options.force:
        raise StudioError(
            f"{path} already exists.", "Choose another name, or add --force to replace it.", option
        )
    return path
