"""A Python that runs from any folder: of python-build-standalone, or a copy of this one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LEFT_OUT: Final = {
    "__pycache__",
    "idlelib",
    "lib2to3",
    "site-packages",
    "test",
    "tests",
    "tkinter",
    "turtledemo",
}
"""Folders of the standard library that Studio does not use."""
_UNUSED_MODULES: Final = re.compile(
    # readline, gdbm and what is built on them are GPL; the others need libraries of a desktop.
    r"^(readline|_gdbm|_dbm|_tkinter|nis|_curses|_curses_panel|_test.*|xx.*)\."
)
_OF_THE_SYSTEM: Final = re.compile(
    r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl))\.so(\.\d+)*$"
)
"""The C library, which every Linux has."""


def unpack(archive: Path, target: Path) -> None:
    """Unpack a `.tar.gz` of python-build-standalone (`install_only`), or of such a Python of uv.

    Args:
        archive: The archive, with one folder `python`.
        target: The folder that is made of it.
    """
    with tarfile.open(archive) as packed:
        packed.extractall(target.parent, filter="data")
    (target.parent / "python").rename(target)
    for mark in target.rglob("EXTERNALLY-MANAGED"):  # uv writes it; pip would refuse to install
        mark.unlink()


def copy_running(target: Path) -> None:
    """Copy the Python that runs this script, on Linux, with the libraries that it needs.

    The copy needs a C library as new as that of this system. `patchelf` makes the paths relative.

    Args:
        target: The folder that is made.
    """
    if sys.platform != "linux":
        raise SystemExit("Name an archive of python-build-standalone with --python.")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    source = Path(sys.base_prefix)
    (target / "bin").mkdir(parents=True)
    program = target / "bin" / version
    shutil.copy2((source / "bin" / version).resolve(), program)
    for name in ("python3", "python"):
        (target / "bin" / name).symlink_to(version)
    library = target / "lib" / version
    shutil.copytree(source / "lib" / version, library, ignore=_ignored, symlinks=True)
    (library / "site-packages").mkdir()
    modules = sorted((library / "lib-dynload").glob("*.so"))
    originals = [source / "lib" / version / "lib-dynload" / each.name for each in modules]
    for name, path in libraries_needed([source / "bin" / version, *originals]).items():
        shutil.copy2(path.resolve(), target / "lib" / name)
        _set_library_path(target / "lib" / name, "$ORIGIN")
    _set_library_path(program, "$ORIGIN/../lib")
    for module in modules:
        _set_library_path(module, "$ORIGIN/../..")


def licenses_of_libraries(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the Debian packages of copied libraries with their files of licenses.

    Args:
        folder: The folder `lib` of a copied Python.
    """
    for library in sorted(folder.glob("*.so*")):
        done = subprocess.run(
            ["dpkg", "-S", f"*/{library.name}"], capture_output=True, text=True, check=False
        )
        for package in sorted({line.split(":")[0] for line in done.stdout.splitlines()}):
            text = Path("/usr/share/doc", package, "copyright")
            if text.is_file():
                yield package, text


def libraries_needed(files: list[Path]) -> dict[str, Path]:
    """Return the libraries that files load, directly or not, but those of the system, by name."""
    found = {}
    for file in files:
        done = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True)
        for name, path in re.findall(r"(\S+) => (/\S+)", done.stdout):
            if not _OF_THE_SYSTEM.match(name):
                found[name] = Path(path)
    return found


def _ignored(folder: str, names: list[str]) -> set[str]:
    is_dynamic = Path(folder).name == "lib-dynload"
    return {
        name
        for name in names
        if name in _LEFT_OUT
        or name.startswith("config-")
        or (is_dynamic and _UNUSED_MODULES.match(name))
    }


def _set_library_path(file: Path, path: str) -> None:
    subprocess.run(["patchelf", "--set-rpath", path, str(file)], check=True)
