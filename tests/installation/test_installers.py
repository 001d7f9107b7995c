"""Installers of a small folder: their layout, what they bring to the desktop, what they leave."""

from __future__ import annotations

import configparser
import os
import plistlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from packaging.requirements import Requirement

import folder as self_contained
import linux
import macos
import own_python
from helpers.core_commands import Need
from installation import check_extras
from studio import __version__
from studio.engine.installation import INSTALLER_PIP, install_command

INSTALLERS = Path(__file__).resolve().parents[2] / "installers"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The self-contained folder, but with a Python of a few bytes that prints its words."""
    made = tmp_path / "studio"
    python = made / "python" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$PIP_USER|$PYTHONPATH|$PYTHONUSERBASE|$@"\n')
    python.chmod(0o755)
    self_contained._write_programs(made / "bin")
    self_contained._write_licenses(made, copied=False)
    return made


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
def test_programs_start_the_python_beside_them_also_through_links(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "bin" / "studio"
    link.parent.mkdir()
    link.symlink_to(made / "bin" / "studio")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("XDG_DATA_HOME", "/home/data")

    def said(path: Path, *words: str) -> str:
        return subprocess.run(
            [path, *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    packages = "/home/data/Studio/packages"
    assert said(link, "runs", "list") == f"||{packages}|-P -m studio runs list"
    window = said(made / "bin" / "studio-window", "a b.png")
    assert window == f"||{packages}|-P -m studio gui a b.png"
    limits = f"--constraint {made / 'bin' / 'constraints.txt'}"
    pip = said(made / "bin" / "studio-pip", "install", "x")
    assert pip == f"1||{packages}|-P -m pip install x {limits}"
    assert said(made / "bin" / "studio-pip", "list") == f"1||{packages}|-P -m pip list"


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
def test_words_for_an_appimage_are_commands_but_paths_are_opened(
    made: Path, tmp_path: Path
) -> None:
    root = tmp_path / "Studio.AppDir"
    shutil.copytree(made, root / linux.PLACE)
    (root / "AppRun").write_text(linux._APP_RUN)
    (root / "AppRun").chmod(0o755)
    workspace = tmp_path / "workspace"
    (workspace / "runs").mkdir(parents=True)

    def started(*words: str) -> str:
        done = subprocess.run(
            [root / "AppRun", *words], cwd=workspace, capture_output=True, text=True, check=True
        )
        return done.stdout.strip().rpartition("|")[2]

    assert started() == "-P -m studio"
    assert started("runs", "list") == "-P -m studio runs list"
    assert started("./runs") == "-P -m studio gui ./runs"
    assert started(str(workspace)) == f"-P -m studio gui {workspace}"
    assert started("pip", "install", "x").startswith("-P -m pip install x --constraint ")


def test_an_isolated_python_finds_the_packages_of_the_user_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", tmp_path / "python"], check=True
    )
    python = tmp_path / "python" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    base = tmp_path / "Studio" / "packages"
    variables = {"platbase": str(tmp_path / "python"), "base": str(tmp_path / "python")}
    bundled = Path(sysconfig.get_path("purelib", "venv", variables))
    added = Path(sysconfig.get_path("purelib", f"{os.name}_user", {"userbase": str(base)}))
    self_contained.write_isolation(bundled)
    for place in (bundled, added):
        place.mkdir(parents=True, exist_ok=True)
        (place / "found.py").write_text(f"print({str(place)!r})\n")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(bundled))
    code = "import found, os; print(os.environ['PYTHONUSERBASE'], 'PYTHONPATH' in os.environ)"

    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.splitlines() == [str(added), f"{base} False"], done.stderr


def test_every_start_of_windows_finds_the_packages_of_the_user() -> None:
    script = (INSTALLERS / "studio.nsi").read_text("utf-8")
    assert re.findall(r"(-\w) -m studio gui", script) == ["-I"] * 4


def test_packages_of_the_folder_have_no_limits_and_others_those_of_the_extras(
    tmp_path: Path,
) -> None:
    packages = tmp_path / "Lib" / "site-packages"
    for name in ("pyside6_essentials-6.11.2", "tensorflow-2.21.0", "Keras-3.1"):
        (packages / f"{name}.dist-info").mkdir(parents=True)

    limits = [Requirement(line) for line in self_contained._limits(tmp_path)]

    assert Requirement("onnx>=1.19,<2") in limits
    assert not any(each.extras for each in limits), "pip allows none here"
    names = {each.name for each in limits}
    assert "jax" in names
    assert not {"pyside6-essentials", "tensorflow", "studio-trainer", "mypy"} & names


def test_a_python_of_uv_accepts_packages(tmp_path: Path) -> None:
    mark = tmp_path / "source" / "python" / "lib" / "python3.12" / "EXTERNALLY-MANAGED"
    mark.parent.mkdir(parents=True)
    mark.touch()
    with tarfile.open(tmp_path / "python.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "source" / "python", "python")

    own_python.unpack(tmp_path / "python.tar.gz", tmp_path / "made")

    assert (tmp_path / "made" / "lib" / "python3.12").is_dir()
    assert not list(tmp_path.glob("made/**/EXTERNALLY-MANAGED"))


@pytest.mark.skipif(sys.platform != "linux", reason="libraries of Linux")
@pytest.mark.skipif(shutil.which("patchelf") is None, reason="needs patchelf")
def test_an_appimage_brings_what_its_display_libraries_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(linux, "debian_packages", lambda: ["libxcb-image0", "libxcb-cursor0"])
    try:
        names = set(linux.display_libraries())
    except subprocess.CalledProcessError:
        pytest.skip("needs the packages of Debian")
    assert {"libxcb-image.so.0", "libxcb-util.so.1", "libxcb-shm.so.0"} <= names
    assert {"libxcb-cursor.so.0", "libxcb-render.so.0"} <= names
    assert not {"libxcb.so.1", "libc.so.6", "libXau.so.6"} & names


def test_an_extra_that_does_not_bring_what_it_is_for_is_reported() -> None:
    lacks_all: dict[Need, bool] = {"": False, "backend": True, "window": True}
    assert check_extras.unexpected("core", lacks_all) == {}
    assert check_extras.unexpected("torch", lacks_all) == {"backend": "is not installed"}
    assert check_extras.unexpected("gui", lacks_all | {"backend": False}) == {
        "backend": "is installed, but not expected",
        "window": "is not installed",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
def test_messages_name_the_pip_of_the_folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(made / "python"))
    install_command.cache_clear()
    try:
        assert install_command("onnx").startswith(f"{made / 'bin' / INSTALLER_PIP} install onnx ")
    finally:
        install_command.cache_clear()


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="packages of Debian")
def test_the_debian_package_has_no_scripts_and_touches_nothing_of_users(
    made: Path, tmp_path: Path
) -> None:
    file = linux.make_deb(made, tmp_path)

    assert file.name.startswith(f"studio-trainer_{__version__}_")
    listed = subprocess.run(
        ["dpkg-deb", "--contents", file], capture_output=True, text=True, check=True
    ).stdout
    paths = [line.split()[5] for line in listed.splitlines()]
    assert {
        "./usr/bin/studio",
        "./usr/share/applications/studio.desktop",
        "./usr/share/icons/hicolor/scalable/apps/studio.svg",
        "./usr/share/mime/packages/studio-trainer.xml",
        "./usr/share/doc/studio-trainer/copyright",
        "./opt/studio/bin/studio-pip",
    } <= set(paths)
    assert all(path.startswith(("./usr/", "./opt/")) for path in paths if path != "./")
    assert all("root/root" in line for line in listed.splitlines())
    unpacked = tmp_path / "control"
    subprocess.run(["dpkg-deb", "--control", file, unpacked], check=True)
    assert [path.name for path in unpacked.iterdir()] == ["control"], "nothing runs as root"
    needed = (unpacked / "control").read_text("utf-8").split("Depends: ")[1].splitlines()[0]
    assert "libxcb-cursor0" in needed
    assert "python" not in needed


def test_what_opens_a_file_knows_its_type() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.read_string((self_contained.ROOT / "assets" / "studio.desktop").read_text("utf-8"))
    launcher = entry["Desktop Entry"]
    assert launcher["Exec"] == "studio-window %F"
    declared = ET.fromstring(linux._MIME).findall("{*}mime-type")
    kinds = {str(each.get("type")) for each in declared}
    opened = {kind for kind in launcher["MimeType"].split(";") if kind}
    assert opened == kinds, "no types of other programs, such as folders"


def test_the_app_of_macos_starts_the_window(made: Path, tmp_path: Path) -> None:
    app = macos.make_app(made, tmp_path)

    content = plistlib.loads((app / "Contents" / "Info.plist").read_bytes())
    assert content["CFBundleShortVersionString"] == __version__
    program = app / "Contents" / "MacOS" / content["CFBundleExecutable"]
    assert program.is_file()
    (started,) = re.findall(r"\.\./(\S+?)\"", program.read_text("utf-8"))
    assert (app / "Contents" / started).is_file()


@pytest.mark.skipif(shutil.which("makensis") is None, reason="needs NSIS")
def test_the_installer_of_windows_compiles(made: Path, tmp_path: Path) -> None:
    shutil.copy2(made / "licenses" / "README.txt", tmp_path)
    self_contained.write_icon(tmp_path / "studio.ico")
    defined = [f"-DVERSION={__version__}", f"-DFOLDER={made}", f"-DOUT={tmp_path}"]
    done = subprocess.run(
        ["makensis", "-V2", "-INPUTCHARSET", "UTF8", *defined, INSTALLERS / "studio.nsi"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / f"Studio-{__version__}-setup.exe").stat().st_size > 30_000


def test_the_uninstaller_of_windows_removes_its_own_folders_alone() -> None:
    script = (INSTALLERS / "studio.nsi").read_text("utf-8")
    removed = re.findall(r"RMDir /r \"(.+?)\"", script.split('Section "Uninstall"')[1])
    assert removed == [rf"$INSTDIR\{name}" for name in ("python", "bin", "licenses")]
    assert not re.search(r"RMDir /r \"\$INSTDIR\"", script), "a user may have chosen any folder"


def test_the_installer_of_windows_refuses_folders_with_other_files() -> None:
    script = (INSTALLERS / "studio.nsi").read_text("utf-8")
    section = script.split('Section "Studio"')[1].split("SectionEnd")[0]
    commands = [line.strip() for line in section.splitlines() if not line.strip().startswith(";")]
    assert next(filter(None, commands)) == "Call RefuseForeignFolder", "also with /S"
    page = script.split("!insertmacro MUI_PAGE_DIRECTORY")[0].splitlines()[-1]
    assert page == "!define MUI_PAGE_CUSTOMFUNCTION_LEAVE RefuseForeignFolder"
    assert '"$INSTDIR\\uninstall.exe"' not in script, "other programs have one, too"
