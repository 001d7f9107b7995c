"""A disk image for macOS: Studio.app with the self-contained folder."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from folder import write_icon
from linux import version

_PROGRAM: Final = """#!/bin/sh
exec "$(dirname "$0")/../Resources/studio/bin/studio-window" "$@"
"""


def information() -> dict[str, Any]:
    """Return the content of `Info.plist`.

    There is no type of document: files that Finder opens arrive as events, which the window does
    not receive yet.
    """
    return {
        "CFBundleName": "Studio",
        "CFBundleDisplayName": "Studio",
        "CFBundleIdentifier": "studio-trainer",
        "CFBundleVersion": version(),
        "CFBundleShortVersionString": version(),
        "CFBundlePackageType": "APPL",
        "CFBundleExecutable": "studio",
        "CFBundleIconFile": "studio.icns",
        "LSMinimumSystemVersion": "13.0",
        "NSHighResolutionCapable": True,
        "NSCameraUsageDescription": "Images of the camera are labeled and predicted.",
    }


def make_app(folder: Path, target: Path) -> Path:
    """Make `Studio.app` of the self-contained folder; return its path.

    Args:
        folder: The self-contained folder.
        target: Folder of the app.
    """
    app = target / "Studio.app"
    shutil.rmtree(app, ignore_errors=True)
    contents = app / "Contents"
    (contents / "MacOS").mkdir(parents=True)
    shutil.copytree(folder, contents / "Resources" / "studio", symlinks=True)
    with (contents / "Info.plist").open("wb") as file:
        plistlib.dump(information(), file)
    program = contents / "MacOS" / "studio"
    program.write_text(_PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    return app


def make_dmg(folder: Path, target: Path) -> Path:
    """Make the disk image, on macOS; return its file.

    It is not signed: Gatekeeper asks the user once, in the settings of privacy.

    Args:
        folder: The self-contained folder.
        target: Folder of the image.
    """
    app = make_app(folder, target)
    write_icon(app / "Contents" / "Resources" / "studio.icns")
    subprocess.run(["codesign", "--force", "--deep", "--sign", "-", str(app)], check=True)
    stage = target / "image"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    shutil.move(app, stage / app.name)
    (stage / "Applications").symlink_to("/Applications")
    file = target / f"Studio-{version()}.dmg"
    words = ["hdiutil", "create", "-volname", "Studio", "-srcfolder", str(stage), "-ov"]
    subprocess.run([*words, "-format", "ULFO", str(file)], check=True)
    return file
