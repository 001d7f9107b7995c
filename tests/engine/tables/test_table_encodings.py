"""Encodings of tables."""

from __future__ import annotations

import pytest

from studio.engine.errors import BadDataError
from studio.engine.tables.encoding import decoded

TEXT = "filename,label\na.png,grün\nb.png,maçã\n"


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1"],
)
def test_usual_encodings(encoding: str) -> None:
    text, warning = decoded(TEXT.encode(encoding), "t.csv")

    assert text == TEXT
    assert bool(warning) == (encoding in ("cp1252", "latin-1"))
    assert not warning or "grün" in warning


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("filename,label\na.png,红色的\nb.png,绿色\n", "gbk"),
        ("filename,label\na.png,赤い\nb.png,みどり\n", "shift_jis"),
        ("filename,label\na.png,красный\nb.png,зелёный\n", "cp1251"),
    ],
)
def test_other_encodings_are_refused_instead_of_misread(text: str, encoding: str) -> None:
    with pytest.raises(BadDataError, match=r"not UTF-8 \(line 2\)"):
        decoded(text.encode(encoding), "t.csv")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"a\0b", b"\0" * 64])
def test_what_is_no_text(data: bytes) -> None:
    with pytest.raises(BadDataError, match="not a text file"):
        decoded(data, "t.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_head_may_end_within_a_character(encoding: str) -> None:
    data = ("filename,label\n" + "é" * 20).encode(encoding)
    assert decoded(data[:-1], "t.csv", is_head=True).text.endswith("é")
    with pytest.raises(BadDataError):
        decoded(data[:-1] + b"\xff\xff", "t.csv")
