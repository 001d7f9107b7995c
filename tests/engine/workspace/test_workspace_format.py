"""The folder that is a workspace: whose it is, of which version, and how it gets to this one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.workspace import RecordKind, Workspace
from studio.engine.workspace.location import FORMAT, MIGRATIONS, Migration, upgrade


def test_a_new_folder_becomes_a_workspace_and_stays_one(tmp_path: Path) -> None:
    root = tmp_path / "ein neuer" / "Ordner"

    Workspace.open(root)
    record = Workspace.open(root).create(RecordKind.RUN, "one", "{}")

    assert json.loads((root / "studio.json").read_text())["format"] == FORMAT
    assert Workspace.open(root).records(RecordKind.RUN) == [record]


def test_a_folder_with_other_files_may_become_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear …")

    Workspace.open(tmp_path)

    assert (tmp_path / "letter.txt").read_text() == "Dear …"


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()

    with pytest.raises(StudioError, match="not a Studio workspace"):
        Workspace.open(tmp_path)

    assert not (tmp_path / "studio.json").exists()
    assert list((tmp_path / "datasets").iterdir()) == []


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "studio.json").write_text(json.dumps({"format": FORMAT + 1}))

    with pytest.raises(StudioError, match=r"newer Studio.*Update"):
        Workspace.open(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "one"}', '{"format": 0}', "\0"])
def test_a_damaged_marker_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "studio.json").write_text(text)

    with pytest.raises(StudioError, match=r"studio\.json"):
        Workspace.open(tmp_path)


def test_a_file_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for root in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StudioError, match="cannot be opened"):
            Workspace.open(root)


def _write_version(root: Path, version: int) -> None:
    (root / "studio.json").write_text(json.dumps({"format": version}))


def _version(root: Path) -> int:
    version: int = json.loads((root / "studio.json").read_text())["format"]
    return version


def test_migrations_run_in_order_from_where_the_workspace_is(tmp_path: Path) -> None:
    ran: list[str] = []
    steps = (
        Migration(3, 5, lambda root: ran.append(f"3-5 at {_version(root)}")),
        Migration(1, 2, lambda root: ran.append(f"1-2 at {_version(root)}")),
        Migration(2, 3, lambda root: ran.append(f"2-3 at {_version(root)}")),
    )
    _write_version(tmp_path, 2)

    upgrade(tmp_path, 2, 5, steps)

    assert ran == ["2-3 at 2", "3-5 at 3"]
    assert _version(tmp_path) == 5


def test_an_interrupted_migration_continues_where_it_stopped(tmp_path: Path) -> None:
    ran: list[int] = []

    def break_once(root: Path) -> None:
        ran.append(2)
        if ran.count(2) == 1:
            raise KeyboardInterrupt

    steps = (Migration(1, 2, lambda root: ran.append(1)), Migration(2, 3, break_once))
    _write_version(tmp_path, 1)

    with pytest.raises(KeyboardInterrupt):
        upgrade(tmp_path, 1, 3, steps)
    assert _version(tmp_path) == 2

    upgrade(tmp_path, _version(tmp_path), 3, steps)
    assert ran == [1, 2, 2]
    assert _version(tmp_path) == 3


def test_there_is_a_way_from_every_version_to_this_one() -> None:
    reachable = {FORMAT}
    for step in sorted(MIGRATIONS, key=lambda step: -step.before):
        assert step.before < step.after
        assert step.after in reachable
        reachable.add(step.before)
    assert reachable == set(range(1, FORMAT + 1))
