"""The self-contained folder: Studio, its packages and a Python of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
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
{setting}"%~dp0..\\python\\python.exe" -P -m {words} %*{more}\r
"""
_PROGRAMS: Final = {
    "studio": ("the command line", "studio"),
    "studio-window": ("the window", "studio gui"),
    "studio-pip": ("pip", "pip"),
}
_LIMITS: Final = "constraints.txt"
_FOR_ENGINEERS: Final = ("test", "docs")
_UNIX_PIP: Final = f"""export PIP_USER=1
if [ "$1" = install ]; then set -- "$@" --constraint "$here/{_LIMITS}"; fi
"""
_WINDOWS_PIP: Final = f"""set PIP_USER=1\r
set LIMITS=\r
if /i "%~1"=="install" set LIMITS=--constraint "%~dp0{_LIMITS}"\r
"""
_ISOLATED: Final = """import os
import site
import sys
import sysconfig

# The menu of Windows starts Python with -I: variables of the system are not for this Python.
# Packages that studio-pip adds come before those of the folder; processes inherit the variables.
if sys.flags.isolated:
    for name in ("PYTHONHOME", "PYTHONPATH"):
        os.environ.pop(name, None)
    base = os.path.join(os.environ["LOCALAPPDATA"], "Studio", "packages")
    os.environ["PYTHONUSERBASE"] = base
    packages = sysconfig.get_path("purelib", f"{os.name}_user", {"userbase": base})
    before = len(sys.path)
    if os.path.isdir(packages):
        site.addsitedir(packages)
    place = [os.path.basename(path) for path in sys.path].index("site-packages")
    sys.path[:] = sys.path[:place] + sys.path[before:] + sys.path[place:before]
"""


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
    (target / "bin" / _LIMITS).write_text("\n".join([*_limits(python), ""]), encoding="ascii")
    if _IS_WINDOWS:
        write_isolation(python / "Lib" / "site-packages")
    _write_licenses(target, copied=archive is None)


def python_of(folder: Path) -> Path:
    """Return the program of the Python in the folder."""
    return folder / ("python.exe" if _IS_WINDOWS else "bin/python3")


def write_isolation(packages: Path) -> None:
    """Make a Python that starts with -I find the packages of studio-pip, on Windows.

    Args:
        packages: Its folder `site-packages`.
    """
    (packages / "sitecustomize.py").write_text(_ISOLATED, encoding="ascii")


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
    # pip compiles the packages, and passes over their templates that are no Python.
    library = python / ("Lib" if _IS_WINDOWS else "lib")
    run("compileall", "-q", "-j", "0", "-x", "site-packages", str(library))
    run("ensurepip", "--upgrade", "--default-pip")
    run("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    (wheel,) = wheels.glob("*.whl")
    address = f"studio-trainer[{extras}] @ {wheel.as_uri()}"
    run("pip", "install", "--quiet", "--no-warn-script-location", address)
    shutil.rmtree(wheels)
    scripts = python / ("Scripts" if _IS_WINDOWS else "bin")
    for path in scripts.iterdir():  # they name the folder in which they were made
        if not path.name.startswith("python"):
            path.unlink()


def _write_programs(folder: Path) -> None:
    folder.mkdir()
    for name, (what, words) in _PROGRAMS.items():
        is_pip = name == "studio-pip"
        if _IS_WINDOWS:
            setting, more = (_WINDOWS_PIP, " %LIMITS%") if is_pip else ("", "")
            text = _WINDOWS.format(what=what, words=words, setting=setting, more=more)
            (folder / f"{name}.cmd").write_text(text, encoding="ascii", newline="")
        else:
            setting = _UNIX_PIP if is_pip else ""
            (folder / name).write_text(_UNIX.format(what=what, words=words, setting=setting))
            (folder / name).chmod(0o755)


def _limits(python: Path) -> Iterator[str]:
    """Yield the versions of packages of extras that a folder does not contain, for pip.

    Those in the folder have no limits: the user may replace Qt.

    Args:
        python: The Python of the folder.
    """
    files = python.rglob("site-packages/*.dist-info")
    present = {_canonical(file.name.partition("-")[0]) for file in files}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    needed = [each for name, all_ in extras.items() if name not in _FOR_ENGINEERS for each in all_]
    for requirement in dict.fromkeys(needed):
        parts = re.fullmatch(r"([\w.-]+)(\[.*?\])?(.*)", requirement)
        if parts and parts[3] and _canonical(parts[1]) not in present:
            yield f"{parts[1]}{parts[3]}"


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


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
