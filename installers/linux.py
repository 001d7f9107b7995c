"""Packages for Linux of the self-contained folder: `.deb` and AppImage."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from folder import ROOT
from own_python import libraries_needed

PLACE: Final = Path("opt/studio")
"""Folder of Studio below the root of a package."""
_SUMMARY: Final = "Train image models in a window or on the command line"
_MIME: Final = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-keras-model">
    <comment>Keras model</comment>
    <comment xml:lang="pt_BR">Modelo do Keras</comment>
    <glob pattern="*.keras"/>
  </mime-type>
</mime-info>
"""
_APP_RUN: Final = """#!/bin/sh
# Without words the window opens; paths are opened in it; `pip` adds packages; other words are for
# the command line. The desktop gives whole paths: `runs` may be a command and a folder here.
programs=$(dirname "$(readlink -f "$0")")/opt/studio/bin
case "$1" in
    /*|./*|../*) exec "$programs/studio-window" "$@" ;;
    pip) shift; exec "$programs/studio-pip" "$@" ;;
esac
exec "$programs/studio" "$@"
"""
_NOT_BUNDLED: Final = ("libegl1", "libgl1", "libfontconfig1", "libglib2.0-0", "libdbus-1-3")
"""Packages whose libraries must fit the drivers and the desktop of the system."""
_LIBRARIES_OF_THE_DESKTOP: Final = ("libxcb.so.1", "libX11.so.6", "libX11-xcb.so.1")
"""Libraries of other packages for which the same is true."""


def version() -> str:
    """Return the version of Studio."""
    names: dict[str, str] = {}
    for line in (ROOT / "studio" / "__init__.py").read_text(encoding="utf-8").splitlines():
        name, sign, value = line.partition(" = ")
        if sign:
            names[name] = value.strip('"')
    return names["__version__"]


def debian_packages() -> list[str]:
    """Return the packages that Qt needs, as CI installs them."""
    lines = (ROOT / ".ci" / "debian-packages").read_text(encoding="utf-8").splitlines()
    names = [line.partition("#")[0].strip() for line in lines]
    return [name for name in names if name and not name.startswith("python3")]


def make_deb(folder: Path, target: Path) -> Path:
    """Make a Debian package of the self-contained folder; return its file.

    It has no scripts: the desktop notices entry, icon and file type by itself, and removing the
    package removes only its own files. Workspaces and settings belong to the users.

    Args:
        folder: The self-contained folder.
        target: Folder of the package.
    """
    root = target / "deb"
    shutil.rmtree(root, ignore_errors=True)
    _lay_out(folder, root)
    (root / "usr" / "bin").mkdir(parents=True)
    for name in ("studio", "studio-window"):
        (root / "usr" / "bin" / name).symlink_to(f"/{PLACE}/bin/{name}")
    document = root / "usr" / "share" / "doc" / "studio-trainer"
    document.mkdir(parents=True)
    shutil.copy2(folder / "licenses" / "README.txt", document / "copyright")
    kilobytes = sum(path.lstat().st_size for path in root.rglob("*")) // 1024
    machine = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    ).stdout.strip()
    needed = [f"libc6 (>= {platform.libc_ver()[1]})", *debian_packages()]
    fields = {
        "Package": "studio-trainer",
        "Version": version(),
        "Architecture": machine,
        "Maintainer": "The Studio developers",
        "Installed-Size": str(kilobytes),
        "Depends": ", ".join(needed),
        "Section": "science",
        "Priority": "optional",
        "Description": f"{_SUMMARY}\n It brings its own Python and all packages that it needs.",
    }
    (root / "DEBIAN").mkdir()
    lines = [f"{name}: {value}\n" for name, value in fields.items()]
    (root / "DEBIAN" / "control").write_text("".join(lines), encoding="utf-8")
    file = target / f"studio-trainer_{version()}_{machine}.deb"
    words = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z3", "--build", str(root), str(file)]
    subprocess.run(words, check=True)
    shutil.rmtree(root)
    return file


def make_appimage(folder: Path, target: Path, runtime: Path) -> Path:
    """Make an AppImage of type 2: a runtime, followed by a SquashFS image; return its file.

    Args:
        folder: The self-contained folder.
        target: Folder of the AppImage.
        runtime: The runtime for this processor, of the project type2-runtime of AppImage.
    """
    root = target / "Studio.AppDir"
    shutil.rmtree(root, ignore_errors=True)
    _lay_out(folder, root)
    _bundle_display_libraries(root / PLACE)
    (root / "AppRun").write_text(_APP_RUN, encoding="utf-8")
    (root / "AppRun").chmod(0o755)
    shares = root / "usr" / "share"
    shutil.copy2(shares / "applications" / "studio.desktop", root)
    shutil.copy2(shares / "icons/hicolor/scalable/apps/studio.svg", root)
    shutil.copy2(ROOT / "assets" / "icons" / "studio.png", root / ".DirIcon")
    image = target / "studio.squashfs"
    words = ["mksquashfs", str(root), str(image), "-root-owned", "-noappend", "-comp", "zstd"]
    subprocess.run([*words, "-quiet", "-no-progress"], check=True)
    file = target / f"Studio-{version()}-{platform.machine()}.AppImage"
    with file.open("wb") as joined:
        for part in (runtime, image):
            with part.open("rb") as content:
                shutil.copyfileobj(content, joined)
    file.chmod(0o755)
    image.unlink()
    shutil.rmtree(root)
    return file


def _lay_out(folder: Path, root: Path) -> None:
    """Link the folder below the root of a package, with entry of the menu, icons and file type."""
    shutil.copytree(folder, root / PLACE, symlinks=True, copy_function=os.link)
    shares = root / "usr" / "share"
    for source, place in (
        ("assets/studio.desktop", "applications/studio.desktop"),
        ("assets/icons/studio.svg", "icons/hicolor/scalable/apps/studio.svg"),
        ("assets/icons/studio.png", "icons/hicolor/256x256/apps/studio.png"),
    ):
        (shares / place).parent.mkdir(parents=True)
        shutil.copyfile(ROOT / source, shares / place)
    types = shares / "mime" / "packages" / "studio-trainer.xml"
    types.parent.mkdir(parents=True)
    types.write_text(_MIME, encoding="utf-8")


def display_libraries() -> dict[str, Path]:
    """Return the libraries that Qt needs for a window, those of drivers and desktop excepted.

    Returns:
        Their files by name: those of `.ci/debian-packages`, and the libraries that these need.
    """
    found: dict[str, Path] = {}
    waiting = []
    for package in debian_packages():
        if package in _NOT_BUNDLED or package.startswith("fonts-"):
            continue
        listed = subprocess.run(
            ["dpkg", "-L", package], capture_output=True, text=True, check=True
        )
        waiting += [Path(line) for line in listed.stdout.splitlines() if ".so." in line]
    while waiting:
        path = waiting.pop()
        if path.name in found or not path.is_file():
            continue
        found[path.name] = path
        loaded = libraries_needed([path])
        done = subprocess.run(
            ["patchelf", "--print-needed", str(path)], capture_output=True, text=True, check=True
        )
        waiting += [
            loaded[name]
            for name in done.stdout.split()
            if name in loaded and name not in _LIBRARIES_OF_THE_DESKTOP
        ]
    return found


def _bundle_display_libraries(place: Path) -> None:
    """Copy the libraries that Qt needs for a window beside its own."""
    version_ = f"python{sys.version_info.major}.{sys.version_info.minor}"
    target = place / "python" / "lib" / version_ / "site-packages" / "PySide6" / "Qt" / "lib"
    for name, path in display_libraries().items():
        shutil.copy2(path.resolve(), target / name)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", str(target / name)], check=True)
