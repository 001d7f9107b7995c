"""Installers of a small folder: their layout, what they bring to the desktop, what they leave."""

from __future__ import annotations

import configparser
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import folder as self_contained
import linux
import macos
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
    pip = said(made / "bin" / "studio-pip", "install", "x")
    assert pip == f"1||{packages}|-P -m pip install x"


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
def test_messages_name_the_pip_of_the_folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(made / "python"))
    install_command.cache_clear()
    try:
        assert install_command("onnx").startswith(f"{made / 'bin' / INSTALLER_PIP} install 'onnx")
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
    kinds = {"inode/directory", *(str(each.get("type")) for each in declared)}
    assert {kind for kind in launcher["MimeType"].split(";") if kind} == kinds


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
