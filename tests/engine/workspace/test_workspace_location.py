"""The place of the default workspace, and folders that a cloud service synchronizes."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from studio.engine.workspace import Workspace, default_workspace, sync_advice
from studio.engine.workspace import location as layout
from studio.engine.workspace.location import local_workspace, sync_service


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home folder whose Documents are in OneDrive, as on most new computers."""
    home = tmp_path / "home"

    def data(name: str, *, appauthor: bool, roaming: bool) -> Path:
        assert not roaming
        assert not appauthor
        return home / "local" / name

    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("STUDIO_WORKSPACE", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_path", data)
    monkeypatch.setattr(platformdirs, "user_documents_path", lambda: home / "OneDrive/Documents")
    return home


def test_the_default_workspace_is_in_local_application_data(home: Path) -> None:
    assert default_workspace() == home / "local/Studio/Workspace"
    assert list(home.parent.iterdir()) == []


def test_the_named_workspace_comes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_WORKSPACE", str(home / "w"))
    assert default_workspace() == home / "w"

    monkeypatch.setenv("STUDIO_WORKSPACE", "~/here")
    assert default_workspace() == home / "here"


def test_a_workspace_in_documents_is_used_until_there_is_a_new_one(home: Path) -> None:
    former = home / "OneDrive/Documents/Studio"
    former.mkdir(parents=True)
    assert default_workspace() == local_workspace()  # a folder that is no workspace

    Workspace.open(former)
    assert default_workspace() == former

    Workspace.open(local_workspace())
    assert default_workspace() == local_workspace()


def test_documents_that_may_not_be_read_hold_no_workspace(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_folder: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(layout, "is_marked", refused)
    assert default_workspace() == local_workspace()


@pytest.mark.parametrize(
    ("folder", "service"),
    [
        ("/home/ann/OneDrive/Documents/Studio", "OneDrive"),
        ("/home/ann/OneDrive - Contoso/Studio", "OneDrive"),
        ("/Users/ann/Library/CloudStorage/OneDrive-Personal/Studio", "OneDrive"),
        ("/Users/ann/Library/Mobile Documents/com~apple~CloudDocs/Studio", "iCloud Drive"),
        ("/home/ann/iCloudDrive/Studio", "iCloud Drive"),
        ("/home/ann/Dropbox/Studio", "Dropbox"),
        ("/home/ann/Dropbox (Contoso)/Studio", "Dropbox"),
        ("/home/ann/Google Drive/Studio", "Google Drive"),
        ("/Users/ann/Library/CloudStorage/GoogleDrive-ann@example.org/Studio", "Google Drive"),
        ("/media/My Drive/Studio", "Google Drive"),
        ("/home/ann/nextcloud/Studio", "Nextcloud"),
        ("/home/ann/Studio", ""),
        ("/home/ann/dropbox-sdk/Studio", ""),
        ("/home/ann/Documents/Studio", ""),
    ],
)
def test_synced_folders_are_recognized_by_name(folder: str, service: str) -> None:
    assert sync_service(Path(folder), environment={}) == service


def test_the_folder_of_onedrive_is_recognized_by_the_environment(tmp_path: Path) -> None:
    environment = {"OneDriveCommercial": str(tmp_path / "Company")}
    assert sync_service(tmp_path / "Company/Studio", environment=environment) == "OneDrive"
    assert sync_service(tmp_path / "Company2/Studio", environment=environment) == ""


def test_documents_in_icloud_drive_are_recognized(tmp_path: Path) -> None:
    folder = tmp_path / "Documents/Studio"
    assert sync_service(folder, environment={}, home=tmp_path, system="darwin") == ""
    (tmp_path / "Library/Mobile Documents/com~apple~CloudDocs/Documents").mkdir(parents=True)
    assert sync_service(folder, environment={}, home=tmp_path, system="darwin") == "iCloud Drive"
    assert sync_service(folder, environment={}, home=tmp_path, system="linux") == ""


def test_a_link_to_a_synced_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "Dropbox").mkdir()
    (tmp_path / "work").symlink_to(tmp_path / "Dropbox")
    assert sync_service(tmp_path / "work/Studio", environment={}) == "Dropbox"


def test_the_suggested_folder_is_found_automatically(home: Path) -> None:
    folder = home / "Dropbox/Studio"
    service, advice = sync_advice(folder)
    assert service == "Dropbox"
    assert str(local_workspace()) in advice

    Workspace.open(local_workspace())  # nothing may be moved over it
    assert str(local_workspace()) not in sync_advice(folder)[1]
    assert sync_advice(home / "Studio") == ("", "")
