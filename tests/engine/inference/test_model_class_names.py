"""Class names of model files of other programs."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.inference.class_names import (
    class_file_beside,
    class_names_of,
    read_class_names,
)
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import read_source


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("labels.txt", "cat\ndog\n", ("cat", "dog")),
        ("labels.txt", "\ufeff0 cat\r\n1 big dog\r\n", ("cat", "big dog")),
        ("labels.txt", "1: dog\n0: cat", ("cat", "dog")),
        ("labels.txt", "1 euro\n2 euro\n", ("1 euro", "2 euro")),
        ("labels.txt", "0\n1\n2\n", ("0", "1", "2")),
        ("labels.txt", "crane\ncat\ncrane\n", ("crane (0)", "cat", "crane (2)")),
        ("class_names.json", '["cat", "dog"]', ("cat", "dog")),
        ("class_indices.json", '{"dog": 1, "cat": 0}', ("cat", "dog")),
        ("classes.json", '{"1": "dog", "0": "cat"}', ("cat", "dog")),
        ("index.json", '{"0": ["n02", "cat"], "1": ["n01", "dog"]}', ("cat", "dog")),
        ("config.json", '{"width": 3, "id2label": {"0": "cat", "1": "dog"}}', ("cat", "dog")),
    ],
)
def test_files_of_many_programs_are_read(
    tmp_path: Path, name: str, text: str, expected: tuple[str, ...]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")

    assert read_class_names(tmp_path / name) == expected
    assert class_names_of(str(tmp_path / name)) == expected


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "is empty"),
        ("a.txt", b"cat\n\ndog\n", "class 1, counted from 0, is empty"),
        ("a.txt", b"x" * 300, "too long"),
        ("a.txt", b"\xff\xfe\x00", "cannot be used"),
        ("a.txt", b"a\n" * (2**21 + 1), "larger than 4 MB"),
        ("a.json", b"[" * 100_000, "not valid JSON"),
        ("a.json", b"{", "not valid JSON"),
        ("a.json", b"[1, 2]", "no list"),
        ("a.json", b'{"cat": 0, "dog": 2}', "no list"),
        ("a.json", b'{"cat": 0, "dog": 0}', "no list"),
        ("a.json", b"{}", "no list"),
        ("a.json", b'{"0": ["n01", 5]}', "is empty"),
    ],
)
def test_what_is_no_list_of_names_is_refused(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(StudioError, match=reason):
        read_class_names(tmp_path / name)


@given(st.lists(st.from_regex(r"[a-z][a-z ]{0,8}[a-z]", fullmatch=True), min_size=1, unique=True))
def test_every_way_of_writing_gives_the_same_names(names: list[str]) -> None:
    numbered = [f"{number} {name}" for number, name in enumerate(names)]
    texts = {
        "plain.txt": "\n".join(names),
        "numbered.txt": "\n".join(reversed(numbered)),
        "list.json": json.dumps(names),
        "numbers.json": json.dumps({name: number for number, name in enumerate(names)}),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder, name)
            path.write_text(text, encoding="utf-8")
            assert read_class_names(path) == tuple(names), name


def test_names_between_commas_and_missing_files() -> None:
    assert class_names_of("cat, dog") == ("cat", "dog")
    with pytest.raises(StudioError, match=r"no file labels\.txt"):
        class_names_of("labels.txt")
    with pytest.raises(StudioError, match="class 1, counted from 0, is empty"):
        class_names_of("cat,,dog")


def test_the_file_of_a_model_goes_before_that_of_its_folder(tmp_path: Path) -> None:
    model = tmp_path / "net.keras"
    assert class_file_beside(model) is None
    (tmp_path / "labels.txt").write_text("a\nb")
    assert class_file_beside(model) == tmp_path / "labels.txt"
    (tmp_path / "class_names.json").write_text('["a", "b"]')
    assert class_file_beside(model) == tmp_path / "labels.txt", "they agree"
    (tmp_path / "classes.txt").write_text("a\nb\nc")
    with pytest.raises(StudioError, match=r"labels\.txt \(2\) and classes\.txt \(3\)"):
        class_file_beside(model)
    (tmp_path / "net.labels.txt").write_text("x\ny")
    assert class_file_beside(model) == tmp_path / "net.labels.txt"


def test_labels_json_is_a_card_only_if_it_describes_a_model(tmp_path: Path) -> None:
    model = tmp_path / "net.keras"
    model.touch()
    (tmp_path / "labels.json").write_text('["cat", "dog"]')

    source = read_source(model)

    assert (source.classes, source.class_file) == (("cat", "dog"), "labels.json")


def test_options_are_checked(tmp_path: Path) -> None:
    model = tmp_path / "net.keras"
    model.touch()
    options = ModelOptions.of("-1..1", ["a", "b"])
    source = read_source(model, options=options)
    assert (source.preprocessing, source.classes) == ("-1..1", ("a", "b"))
    with pytest.raises(StudioError, match=r'no preprocessing "imagenet".*"imagenet-torch"'):
        ModelOptions.of("imagenet")
    with pytest.raises(StudioError, match=r"Studio knows .* of lenet; received: preprocessing, c"):
        options.require_foreign("lenet")
