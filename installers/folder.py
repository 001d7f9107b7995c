"""The self-contained folder: Studio, its packages and a Python of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import own_python

ROOT: Final = Path(__file__).resolve().parents[1]
_IS_WINDOWS: Final = os.name == "nt"
_UNIX: Final = """#!/bin/sh
# Starts {what} with the Python beside it. Packages that studio-pip adds belong to the user.
here=$(dirname "$(readlink -f "$0")")
unset PYTHONHOME PYTHONPATH
export PYTHONUSERBASE="${{XDG_DATA_HOME:-$HOME/.local/share}}/Studio/packages"
{setting}exec "$here/../python/bin/python3" -P -m {words} "$@"
"""
_WINDOWS: Final = """@echo off\r
rem Starts {what} with the Python beside it. Packages that studio-pip adds belong to the user.\r
setlocal\r
set PYTHONHOME=\r
set PYTHONPATH=\r
set PYTHONUSERBASE=%LOCALAPPDATA%\\Studio\\packages\r
{setting}"%~dp0..\\python\\python.exe" -P -m {words} %*\r
"""
_PROGRAMS: Final = {
    "studio": ("the command line", "studio"),
    "studio-window": ("the window", "studio gui"),
    "studio-pip": ("pip", "pip"),
}


def make_folder(target: Path, archive: Path | None, extras: str) -> None:
    """Make the folder anew.

    Args:
        target: The folder.
        archive: A `.tar.gz` of python-build-standalone; None to copy the running Python (Linux).
        extras: Extras of Studio, separated by commas.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    python = target / "python"
    if archive is None:
        own_python.copy_running(python)
    else:
        own_python.unpack(archive, python)
    _install(python, extras)
    _write_programs(target / "bin")
    _write_licenses(target, copied=archive is None)


def python_of(folder: Path) -> Path:
    """Return the program of the Python in the folder."""
    return folder / ("python.exe" if _IS_WINDOWS else "bin/python3")


def write_icon(file: Path) -> None:
    """Write the icon of Studio in the format of the ending: `.ico` or `.icns`."""
    from PIL import Image  # noqa: PLC0415 - the Debian package needs no Pillow

    with Image.open(ROOT / "assets" / "icons" / "studio.png") as picture:
        picture.save(file)


def _install(python: Path, extras: str) -> None:
    program = str(python_of(python))
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "VIRTUAL"))
    }
    environment["PYTHONNOUSERSITE"] = "1"

    def run(*words: str) -> None:
        subprocess.run([program, "-P", "-m", *words], check=True, env=environment)

    wheels = python.parent / "wheel"
    run("ensurepip", "--upgrade", "--default-pip")
    run("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    (wheel,) = wheels.glob("*.whl")
    address = f"studio-trainer[{extras}] @ {wheel.as_uri()}"
    run("pip", "install", "--quiet", "--no-warn-script-location", address)
    shutil.rmtree(wheels)
    run("compileall", "-q", "-j", "0", str(python / "Lib" if _IS_WINDOWS else python / "lib"))
    scripts = python / ("Scripts" if _IS_WINDOWS else "bin")
    for path in scripts.iterdir():  # they name the folder in which they were made
        if not path.name.startswith("python"):
            path.unlink()


def _write_programs(folder: Path) -> None:
    folder.mkdir()
    for name, (what, words) in _PROGRAMS.items():
        is_pip = name == "studio-pip"
        if _IS_WINDOWS:
            setting = "set PIP_USER=1\r\n" if is_pip else ""
            text = _WINDOWS.format(what=what, words=words, setting=setting)
            (folder / f"{name}.cmd").write_text(text, encoding="ascii", newline="")
        else:
            setting = "export PIP_USER=1\n" if is_pip else ""
            (folder / name).write_text(_UNIX.format(what=what, words=words, setting=setting))
            (folder / name).chmod(0o755)


def _write_licenses(target: Path, *, copied: bool) -> None:
    """Write the license of Studio, a note on those of its packages, and those of libraries."""
    folder = target / "licenses"
    folder.mkdir()
    shutil.copy2(ROOT / "LICENSE", folder / "Studio-Apache-2.0.txt")
    (folder / "README.txt").write_text(NOTE, encoding="utf-8")
    if copied:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        shutil.copy2(target / "python" / "lib" / version / "LICENSE.txt", folder / "Python.txt")
        for package, text in own_python.licenses_of_libraries(target / "python" / "lib"):
            shutil.copy2(text, folder / f"{package}.txt")


NOTE: Final = """Studio is licensed under Apache-2.0. This folder also contains Python and the
packages that Studio needs. The license of each package is in its folder *.dist-info in the folder
site-packages.

Qt and PySide6 are licensed under LGPL-3.0. They are unmodified and separate: you may replace
their libraries in the folder PySide6, or install another version with `studio-pip install
pyside6-essentials==VERSION`. The Qt Company and the PySide6 project publish their source code.
"""
