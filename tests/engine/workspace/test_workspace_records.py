"""Records of a workspace: made, found, renamed, annotated, trashed, brought back."""

from __future__ import annotations

import errno
import json
import shutil
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.processes import run_together
from studio.engine.errors import DiskFullError, StudioError
from studio.engine.files import checked_name
from studio.engine.workspace import Record, RecordKind, Workspace

RUN, DATASET = RecordKind.RUN, RecordKind.DATASET


def _names(workspace: Workspace, kind: RecordKind = RUN) -> list[str]:
    return [info.name for _, info in workspace.infos(kind)]


def test_a_record_appears_whole(workspace: Workspace) -> None:
    record = workspace.create(RUN, "  Näin käy (1) ", '{"epochs": 3}')

    assert record.plan_file.read_text(encoding="utf-8") == '{"epochs": 3}'
    assert record.name == "Näin käy (1)"
    assert record.info().kind == RUN
    assert record.id.startswith("nain-kay-1-")
    assert workspace.find(RUN, "Näin käy (1)") == record
    assert workspace.find(RUN, record.id) == record
    assert workspace.record(RUN, record.id) == record
    assert workspace.record(DATASET, record.id) is None


def test_a_name_without_ascii_letters_gets_a_folder(workspace: Workspace) -> None:
    record = workspace.create(DATASET, "手書き数字", "{}")

    assert record.id.startswith("dataset-")
    assert record.name == "手書き数字"


@pytest.mark.parametrize("name", ["", "   ", "a/b", "a\\b", "a\nb", "a\x00b", "x" * 121])
def test_unfit_names_are_refused(workspace: Workspace, name: str) -> None:
    with pytest.raises(StudioError):
        workspace.create(RUN, name, "{}")

    assert workspace.records(RUN) == []


@given(st.text(max_size=130))
def test_every_name_is_refused_or_kept_in_one_form(name: str) -> None:
    try:
        stored = checked_name(name)
    except StudioError:
        return
    assert 1 <= len(stored) <= 120
    assert stored == stored.strip()
    assert unicodedata.is_normalized("NFC", stored)
    assert checked_name(stored) == stored


@pytest.mark.parametrize("other", ["café", "CAFÉ", "cafe\u0301", " Café "])
def test_a_name_is_taken_in_any_case_and_spelling(workspace: Workspace, other: str) -> None:
    workspace.create(RUN, "Café", "{}")

    with pytest.raises(StudioError, match=r"already taken.*-2"):
        workspace.create(RUN, other, "{}")

    assert len(workspace.records(RUN)) == 1
    workspace.create(DATASET, other, "{}")


def test_a_decomposed_name_finds_its_record(workspace: Workspace) -> None:
    record = workspace.create(RUN, "Café", "{}")

    assert workspace.find(RUN, "Cafe\u0301") == record
    assert workspace.find(RUN, " Café ") == record


def test_an_unknown_name_brings_the_closest(workspace: Workspace) -> None:
    with pytest.raises(StudioError, match="contains no run yet"):
        workspace.find(RUN, "lenett")

    workspace.create(RUN, "lenet", "{}")

    with pytest.raises(StudioError, match='Did you mean "lenet"'):
        workspace.find(RUN, "lenett")


@pytest.mark.parametrize("record_id", ["", "..", "../datasets", "/etc", ".new-x", "A", "a/b"])
def test_an_id_never_leaves_the_workspace(workspace: Workspace, record_id: str) -> None:
    assert workspace.record(RUN, record_id) is None


@pytest.mark.parametrize("relative", ["../other.png", "a/../../x", "/etc/passwd", "a\0.png", "\0"])
def test_a_file_outside_of_a_record_is_refused(workspace: Workspace, relative: str) -> None:
    record = workspace.create(RUN, "one", "{}")

    assert record.file("a/b.png") == record.folder / "a" / "b.png"
    with pytest.raises(StudioError, match="outside its folder"):
        record.file(relative)


def test_rename_keeps_the_id(workspace: Workspace) -> None:
    first, other = workspace.create(RUN, "one", "{}"), workspace.create(RUN, "two", "{}")

    workspace.rename(first, "ONE")
    workspace.rename(first, "drei")

    with pytest.raises(StudioError, match="taken"):
        workspace.rename(first, "Two")
    with pytest.raises(StudioError, match="slash"):
        workspace.rename(first, "a/b")
    assert _names(workspace) == ["drei", "two"]
    assert workspace.find(RUN, "drei").id == first.id
    assert other.name == "two"


def test_notes_and_tags_stay_with_a_renamed_record(workspace: Workspace) -> None:
    record = workspace.create(RUN, "one", "{}")

    workspace.annotate(record, "Ein\nVersuch", ("gut", "früh"))
    workspace.rename(record, "two")

    info = record.info()
    assert (info.name, info.notes, info.tags) == ("two", "Ein\nVersuch", ("gut", "früh"))


def test_the_trash_gives_back(workspace: Workspace) -> None:
    record = workspace.create(RUN, "one", '{"a": 1}')
    workspace.trash(record)

    assert workspace.records(RUN) == []
    assert workspace.record(RUN, record.id) is None
    assert [trashed.name for trashed in workspace.trashed(RUN)] == ["one"]
    assert workspace.trashed(DATASET) == []
    with pytest.raises(StudioError, match="cannot be moved to the trash"):
        workspace.trash(record)

    assert workspace.restore(workspace.trashed(RUN)[0]) == record
    assert workspace.trashed(RUN) == []
    assert record.name == "one"
    assert record.plan_file.read_text() == '{"a": 1}'


def test_a_restored_record_yields_its_taken_name(workspace: Workspace) -> None:
    old = workspace.create(RUN, "one", "{}")
    workspace.trash(old)
    workspace.create(RUN, "One", "{}")

    restored = workspace.restore(workspace.trashed(RUN)[0])

    assert restored.name == "one-2"


def test_a_free_name_is_never_longer_than_a_name_may_be(workspace: Workspace) -> None:
    longest = "x" * 120
    workspace.create(RUN, longest, "{}")

    other = workspace.unused_name(RUN, longest)

    workspace.create(RUN, other, "{}")
    assert other.startswith("x" * 100)
    assert workspace.unused_name(RUN, "free") == "free"


def test_a_record_may_take_a_similar_name_unless_the_user_chose_it(workspace: Workspace) -> None:
    names = [workspace.create(RUN, "one", "{}", or_similar=True).name for _ in range(3)]
    assert names == ["one", "one-2", "one-3"]


@pytest.mark.parametrize("damage", [b"", b"{", b'{"id": 3}', b"\xff\xfe", None])
def test_a_damaged_record_does_not_hide_the_others(
    workspace: Workspace, damage: bytes | None
) -> None:
    bad, good = workspace.create(RUN, "bad", "{}"), workspace.create(RUN, "good", "{}")
    if damage is None:
        (bad.folder / "record.json").unlink()
    else:
        (bad.folder / "record.json").write_bytes(damage)

    assert _names(workspace) == ["good"]
    assert workspace.find(RUN, "good") == good
    assert len(workspace.records(RUN)) == 2
    with pytest.raises(StudioError, match="missing" if damage is None else "damaged"):
        bad.info()


def test_a_newer_studio_may_have_written_more(workspace: Workspace) -> None:
    record = workspace.create(RUN, "one", "{}")
    path = record.folder / "record.json"
    path.write_text(path.read_text().replace("{", '{"color": "red",', 1))

    assert record.name == "one"


def test_a_failure_while_creating_leaves_nothing(workspace: Workspace) -> None:
    def fail(record: Record, plan: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFullError):
        workspace.create(RUN, "one", "{}", announce=fail)

    assert list((workspace.root / "runs").iterdir()) == []
    workspace.create(RUN, "one", "{}")


def test_a_half_made_record_is_not_one(workspace: Workspace) -> None:
    record = workspace.create(RUN, "one", "{}")
    shutil.copytree(record.folder, record.folder.with_name(".new-other-123456"))

    assert workspace.records(RUN) == [record]


_CREATE = """
import sys
from pathlib import Path
from studio.engine.errors import StudioError
from studio.engine.workspace import RecordKind, Workspace
workspace = Workspace.open(Path(sys.argv[1]))
print("ready")
sys.stdin.readline()
try:
    print(workspace.create(RecordKind.RUN, sys.argv[2], "{}").id)
except StudioError as error:
    print(error)
"""


def test_of_several_processes_exactly_one_gets_a_name(workspace: Workspace) -> None:
    each = [(workspace.root, name) for name in ("Same", "same", "SAME", "Same")]

    answers = run_together(_CREATE, each)

    refused = [answer for answer in answers if "already taken" in answer]
    assert len(refused) == 3, answers
    assert [record.id for record in workspace.records(RUN)] == list(set(answers) - set(refused))


def test_a_group_and_tags_are_changed_one_by_one(workspace: Workspace) -> None:
    record = workspace.create(RUN, "one", "{}")
    assert record.info().group == ""

    workspace.annotate(record, "kept", ("good",))
    workspace.annotate(record, group="  first   tries ")
    workspace.retag(record, add=("Good", "new", " "), remove=("gone",))
    workspace.retag(record, add=("last",), remove=("NEW",))

    info = record.info()
    assert (info.notes, info.tags, info.group) == ("kept", ("good", "last"), "first tries")
    with pytest.raises(StudioError, match="comma"):
        workspace.retag(record, add=("a,b",))
    with pytest.raises(StudioError, match="61 characters"):
        workspace.annotate(record, group="x" * 61)
    assert record.info() == info


def test_a_record_written_before_there_were_groups(workspace: Workspace) -> None:
    record = workspace.create(RUN, "one", "{}")
    file = record.folder / "record.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    del data["group"]
    file.write_text(json.dumps(data), encoding="utf-8")

    assert record.info().group == ""
