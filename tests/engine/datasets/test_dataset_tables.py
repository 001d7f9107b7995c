"""Tables of classes, labels and numbers, as pandas, spreadsheets and competitions write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from studio.engine.datasets.gather import annotated, parts_of, scan_parts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Scan, SourceOptions
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.datasets.suggestion import other_task
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.targets import Annotated

SILENT = SilentProgress()


def table(folder: Path, text: str | bytes, *names: str) -> Path:
    """Write a table and empty files; pictures are not decoded by a scan."""
    folder.mkdir(exist_ok=True)
    for name in names or ("a.png", "b.png", "c.png", "d.png"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    path = folder / "train.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def classes(path: Path) -> dict[str, str]:
    return {item.key: item.class_name for item in scan(path).items}


def scan(path: Path) -> Scan:
    return ListFileSource().scan(path, SILENT, SourceOptions(min_classes=1))


def targets(path: Path, task: str, **values: object) -> tuple[Scan, Annotated]:
    recipe = DatasetRecipe.parse({"source": str(path), "task": task, **values})
    parts = parts_of(recipe)
    found = scan_parts(parts, recipe, SILENT)
    result = annotated(parts, found, recipe)
    assert result is not None
    return found, result


KAGGLE = ("train_images/0001.png", "train_images/0002.png", "train_images/0010.png")


@pytest.mark.parametrize(
    "text",
    [
        "id,label\n0001,cat\n0002,dog\n0010,cat\n",
        "id_code,diagnosis\n0001,cat\n0002,dog\n0010,cat\n",
        "id,label\n1,cat\n2,dog\n10,cat\n",
        "id,label\n1.0,cat\n2.0,dog\n10.0,cat\n",
        "label,id\ncat,1\ndog,2\ncat,10\n",
        "0001.png,cat\n0002.png,dog\n0010.png,cat\n",
        "cat,0001.png\ndog,0002.png\ncat,0010.png\n",
        "label,file\ncat,1.png\ndog,2.png\ncat,10.png\n",
        "Id,Name,Label\n0001,Rose Field,cat\n0002,Oak Hill,dog\n0010,Rose Field,cat\n",
        "image,file,label\na nice one,0001.png,cat\nblurred,0002.png,dog\ndark,0010.png,cat\n",
        ",filename,label\n0,0001.png,cat\n1,0002.png,dog\n2,0010.png,cat\n",
        "filename,label\nC:\\data\\x\\0001.png,cat\nC:\\data\\x\\0002.png,dog\nC:\\data\\x\\0010.png,cat\n",
        "filename|label\n0001.png|cat\n0002.png|dog\n0010.png|cat\n",
        "filename,label\n0001.PNG,cat\n0002.PNG,dog\n0010.PNG,cat\n",
        "filename,label\n0001.png,\"['cat']\"\n0002.png,['dog']\n0010.png,['cat']\n",
    ],
)
def test_the_column_whose_values_are_files_names_the_images(tmp_path: Path, text: str) -> None:
    path = table(tmp_path, text, *KAGGLE)

    assert classes(path) == dict(zip(KAGGLE, ("cat", "dog", "cat"), strict=True))


def test_numbers_are_not_the_images_where_most_listed_files_are_missing(tmp_path: Path) -> None:
    lines = ["path,mass", "a.png,1.5", *(f"gone{number}.png,2" for number in range(5))]
    found = scan(table(tmp_path, "\n".join(lines), "a.png", "2.png"))
    assert [item.key for item in found.items] == ["a.png"]
    assert [problem.line for problem in found.problems] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("flags", ["010", "011", "110"])
def test_a_flag_of_a_short_table_does_not_name_the_images(tmp_path: Path, flags: str) -> None:
    rows = [
        f"{image},{kind},{flag}" for image, kind, flag in zip("123", "xyx", flags, strict=True)
    ]
    path = table(tmp_path, "\n".join(["ImageID,label,IsOccluded", *rows]), "0.png", "1.png")
    assert classes(path) == {"1.png": "x"}
    assert [each.path for each in scan(path).problems] == ["2", "3"]


def test_flags_are_no_quantities(tmp_path: Path) -> None:
    text = "ImageID,IsTruncated,Kind\na,1,cat\nb,0,dog\nc,1,dog\n"
    path = table(tmp_path, text, "a.png", "b.png", "c.png")
    assert not other_task(path, SourceOptions())
    with pytest.raises(StudioError, match="does not say which column has the classes"):
        scan(path)


def test_completed_zeros_and_other_columns_of_files_are_pointed_out(tmp_path: Path) -> None:
    zeros = scan(table(tmp_path, "id,label\n1,cat\n2,dog\n10,cat\n", *KAGGLE))
    assert "1 is train_images/0001.png" in zeros.warnings[0]

    pairs = scan(table(tmp_path, "left,right,label\na.png,c.png,cat\nb.png,d.png,dog\n"))
    assert '"left"' in pairs.warnings[0]
    assert '"right"' in pairs.warnings[0]


def test_an_id_that_may_mean_two_images_is_reported(tmp_path: Path) -> None:
    names = ("x/1.png", "y/1.png", "x/2.png", "x/3.png")
    found = scan(table(tmp_path, "id,label\n1,cat\n2,dog\n3,cat\n", *names))

    assert [item.key for item in found.items] == ["x/3.png", "x/2.png"]
    assert [(each.line, each.path) for each in found.problems] == [(2, "1")]
    assert "x/1.png, y/1.png" in found.problems[0].reason


def test_the_name_of_the_table_decides_between_folders(tmp_path: Path) -> None:
    names = ("train/abc.png", "test/abc.png", "train/def.png")
    path = table(tmp_path, "id,label\nabc,cat\ndef,dog\n", *names)
    assert classes(path) == {"train/abc.png": "cat", "train/def.png": "dog"}


def test_links_to_folders_are_followed_once(tmp_path: Path) -> None:
    table(tmp_path / "away", "", "im/0001.png", "im/0002.png")
    path = table(tmp_path / "here", "id,label\n1,cat\n2,dog\n", "x.png")
    try:
        (path.parent / "images").symlink_to(tmp_path / "away")
        (tmp_path / "away" / "again").symlink_to(tmp_path / "away")
    except OSError:
        pytest.skip("no links here")
    assert classes(path) == {"images/im/0001.png": "cat", "images/im/0002.png": "dog"}


def test_a_missing_file_is_not_replaced_by_another_of_its_name(tmp_path: Path) -> None:
    text = "path,label\nx/a.png,cat\nx/b.png,dog\nx/c.png,cat\n"
    found = scan(table(tmp_path, text, "x/a.png", "x/b.png", "y/c.png"))
    assert [item.key for item in found.items] == ["x/a.png", "x/b.png"]
    assert [each.line for each in found.problems] == [4]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings_of_a_table(tmp_path: Path, encoding: str) -> None:
    path = table(tmp_path, "path;label\na.png;grün, hell\nb.png;maçã\n".encode(encoding))
    found = scan(path)

    assert classes(path) == {"a.png": "grün, hell", "b.png": "maçã"}
    assert bool(found.warnings) == (encoding == "cp1252")


def test_a_table_of_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "path,label\na.png,红色的\nb.png,绿色\n".encode("gbk"))
    with pytest.raises(StudioError, match="save it as UTF-8"):
        scan(path)


def test_whole_numbers_with_and_without_point_are_one_class(tmp_path: Path) -> None:
    text = "path,label\na.png,1\nb.png,1.0\nc.png,2.0\nd.png,2\n"
    assert sorted(classes(table(tmp_path, text)).values()) == ["1", "1", "2", "2"]

    found = scan(table(tmp_path, "path,label\na.png,1.5\nb.png,2\n"))
    assert "1.5" in found.warnings[0]
    assert "regression" in found.warnings[0]


def test_missing_labels_have_one_meaning_and_are_counted(tmp_path: Path) -> None:
    words = ["", "NaN", "nan", "None", "n/a", "-", "NULL"]
    names = [f"{index}.png" for index in range(len(words))]
    lines = [f"{name},{word}\n" for name, word in zip(names, words, strict=True)]
    text = "path,label\nx.png,cat\n" + "".join(lines)
    found = scan(table(tmp_path, text, "x.png", *names))

    assert [item.key for item in found.items] == ["x.png"]
    assert {each.path for each in found.problems} == {*names}
    assert all(each.reason.startswith("it has no label") for each in found.problems)
    assert '"NULL" means a missing value' in found.problems[-1].reason
    assert any('"None" once' in warning for warning in found.warnings)


def test_contradicting_and_equal_lines_about_one_image(tmp_path: Path) -> None:
    text = "path,label\na.png,cat\nb.png,dog\na.png,dog\nb.png,dog\n"
    found = scan(table(tmp_path, text))

    assert {item.key: item.class_name for item in found.items} == {"a.png": "cat", "b.png": "dog"}
    different, equal = found.problems
    assert different.line == 4
    assert '"cat" in line 2' in different.reason
    assert '"dog"' in different.reason
    assert (equal.line, "different" in equal.reason, "line 3" in equal.reason) == (5, False, True)


def test_several_labels_in_a_column_of_classes_are_reported(tmp_path: Path) -> None:
    text = "path,label\na.png,\"['cat', 'dog']\"\nb.png,cat\nc.png,dog\n"
    found = scan(table(tmp_path, text))
    assert found.classes() == ["cat", "dog"]
    assert "2 labels, cat, dog" in found.problems[0].reason


@pytest.mark.parametrize(
    "text",
    [
        "image_id,healthy,rust\na,1,0\nb,1,1\n",
        "image_id,male,smoker,age\na,1,0,31\nb,0,1,40\n",
        "path,breed,color\na.png,pug,red\nb.png,husky,black\n",
    ],
)
def test_classes_in_an_unknown_column_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(StudioError, match="does not say which column") as caught:
        scan(table(tmp_path, text))
    assert "label" in caught.value.hint


def test_unknown_splits_are_pointed_out(tmp_path: Path) -> None:
    text = "path,label,split\na.png,cat,train\nb.png,dog,holdout\nc.png,cat,test\n"
    (warning,) = scan(table(tmp_path, text)).warnings
    assert "has a cell that names no split: holdout" in warning


def test_a_column_of_splits_is_known_by_its_values(tmp_path: Path) -> None:
    text = "path,label,data set\na.png,cat,train\nb.png,dog,valid\nc.png,cat,test\nd.png,dog,\n"
    found = scan(table(tmp_path, text))
    splits = {item.key: item.split for item in found.items}
    assert splits == {"a.png": "train", "b.png": "val", "c.png": "test", "d.png": None}

    text = "path,label\na.png,train\nb.png,test\n"
    assert set(classes(table(tmp_path, text)).values()) == {"train", "test"}


@pytest.mark.parametrize(
    ("name", "splits"),
    [
        ("is_train", ("train", "test", "test")),
        ("kfold", (None, None, None)),
        ("isTest", ("test", "train", "train")),
    ],
)
def test_columns_about_splits_are_neither_classes_nor_labels(
    tmp_path: Path, name: str, splits: tuple[str | None, ...]
) -> None:
    path = table(tmp_path, f"path,breed,{name}\na.png,pug,1\nb.png,husky,0\nc.png,pug,0\n")
    found = scan(path)
    assert found.classes() == ["husky", "pug"]
    by_path = {item.key: item.split for item in found.items}
    assert tuple(by_path[f"{letter}.png"] for letter in "abc") == splits
    assert [name in each for each in found.warnings] == [True] * (name == "kfold")

    text = f"path,cat,dog,{name}\na.png,1,0,1\nb.png,0,1,0\nc.png,1,1,0\n"
    assert targets(table(tmp_path, text), "multi_label")[1].names == ("cat", "dog")


def test_numbers_of_rows_in_a_list_without_header_are_no_classes(tmp_path: Path) -> None:
    # The lists of MXNet: number, class, path.
    text = "0\t1.0\ta.png\n1\t0.0\tb.png\n2\t1.0\tc.png\n3\t0.0\td.png\n"
    path = table(tmp_path, text)
    assert classes(path) == {"a.png": "1", "b.png": "0", "c.png": "1", "d.png": "0"}


def test_several_possible_classes_without_header_are_refused(tmp_path: Path) -> None:
    text = "a.png,1,1,9,9,cat\nb.png,1,2,9,9,dog\nc.png,2,1,9,9,cat\n"
    with pytest.raises(StudioError, match=r"its first line is a\.png, 1") as caught:
        scan(table(tmp_path, text))
    assert "path and label" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("path,label,label\na.png,1,x\nb.png,2,x\n", 'column 3, "label", differs'),
        ("path,target,class\na.png,1,x\nb.png,1,y\n", 'from column 3, "class"; column 2'),
        ("path,label\na.png,01\nb.png,1\n", '"01" and "1"'),
        ("path,label\n" + "".join(f"{n}.png,{n * 3}\n" for n in range(6)), "6 different values"),
    ],
)
def test_conspicuous_columns_of_classes(tmp_path: Path, text: str, part: str) -> None:
    (warning,) = scan(table(tmp_path, text, *(f"{n}.png" for n in "ab012345"))).warnings
    assert part in warning


def test_columns_that_name_the_same_classes_differently_are_no_problem(tmp_path: Path) -> None:
    text = "path,class id,labels\na.png,0.0,cat\nb.png,1,dog\nc.png,0,cat\n"
    found = scan(table(tmp_path, text))
    assert (found.classes(), found.warnings) == (["cat", "dog"], [])


@pytest.mark.parametrize(
    "text", ["label,pixel0,pixel1\n5,0,0\n3,0,7\n", "emotion,pixels\n0,70 80\n"]
)
def test_a_table_without_names_of_images_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(StudioError, match="names no column of images"):
        scan(table(tmp_path, text))


def test_labels_of_1_and_minus_1(tmp_path: Path) -> None:
    text = "path,Male,Young\na.png,1,-1\nb.png,-1,-1\nc.png,1,1\nd.png,,1\n"
    found, result = targets(table(tmp_path, text), "multi_label")
    assert result.values.tolist() == [[1, 0], [0, 0], [1, 1], [0, 1]]
    assert any(
        '2 columns of labels have 1 and -1, such as "Male"' in each for each in found.warnings
    )


def test_columns_of_labels_that_are_left_out_are_reported(tmp_path: Path) -> None:
    text = "path,age,a,b,c,d\na.png,31,1,0,-1,0\nb.png,45,0,1,0,0\nc.png,62,1,1,1,0\n"
    found, result = targets(table(tmp_path, text), "multi_label")
    assert result.names == ("a", "b")
    assert ['"c"' in each for each in found.warnings] == [True, False]
    assert "a value is neither 0 nor 1: -1" in found.warnings[0]
    assert '"d" was left out: all 3 values are 0' in found.warnings[1]


def test_labels_that_are_separated_at_spaces_are_pointed_out(tmp_path: Path) -> None:
    text = "path,labels\na.png,black bear\nb.png,polar bear\nc.png,fox\n"
    found, result = targets(table(tmp_path, text), "multi_label")
    assert result.names == ("bear", "black", "fox", "polar")
    assert 'at spaces in 2 cells, the first: "black bear"' in found.warnings[0]


def test_labels_that_look_like_several_are_pointed_out(tmp_path: Path) -> None:
    text = "path,labels\na.png,cat+dog\nb.png,cat\nc.png,dog & cat\nd.png,C++\n"
    found, _ = targets(table(tmp_path, text.replace("dog & cat", "dog/cat")), "multi_label")
    assert '2 labels look like several in one, such as "cat+dog"' in found.warnings[0]
    assert not targets(table(tmp_path, "path,labels\na.png,C++\nb.png,cat\n"), "multi_label")[
        0
    ].warnings


def test_too_few_classes_name_what_was_left_out(tmp_path: Path) -> None:
    path = table(tmp_path, "path,label\na.png,None\nb.png,scratch\nc.png,None\n")
    with pytest.raises(StudioError, match="only one class") as caught:
        ListFileSource().scan(path, SILENT)
    assert "2 entries were left out, the first: a.png: it has no label" in caught.value.message


def test_an_empty_cell_of_numbers_is_called_empty(tmp_path: Path) -> None:
    found, _ = targets(table(tmp_path, "path,y\na.png,1.5\nb.png,\nc.png,2.5\n"), "regression")
    assert [each.reason for each in found.problems] == ['the column "y" is empty']


LISTS = {
    "pandas": ["['cat', 'dog']", "['dog']", "[]", "nan"],
    "numpy": ["['cat' 'dog']", "['dog']", "[]", ""],
    "sets": ["{'cat', 'dog'}", "{'dog'}", "set()", "None"],
    "json": ['["cat", "dog"]', '["dog"]', "[]", "null"],
    "mixed": ["['cat', 'dog']", "dog", "", "-"],
    "plain": ["cat;dog", "dog", "", "NaN"],
}


@pytest.mark.parametrize("cells", LISTS.values(), ids=LISTS)
def test_lists_of_labels(tmp_path: Path, cells: Sequence[str]) -> None:
    file = io.StringIO()
    names = ("a.png", "b.png", "c.png", "d.png")
    csv.writer(file).writerows([["path", "labels"], *zip(names, cells, strict=True)])
    found, result = targets(table(tmp_path, file.getvalue()), "multi_label")

    assert result.names == ("cat", "dog")
    assert result.values.tolist() == [[1, 1], [0, 1], [0, 0], [0, 0]]
    assert not found.problems


def test_numbers_of_labels_in_lists_are_one_form(tmp_path: Path) -> None:
    text = 'path,labels\na.png,"[1, 2]"\nb.png,[1.0]\n'
    _, result = targets(table(tmp_path, text), "multi_label")
    assert (result.names, result.values.tolist()) == (("1", "2"), [[1, 1], [1, 0]])


def test_empty_cells_beside_zeros_are_counted(tmp_path: Path) -> None:
    text = "path,cat,dog\na.png,1,0\nb.png,,1\nc.png,NaN,0\nd.png,0,x\n"
    found, result = targets(table(tmp_path, text), "multi_label")
    assert result.values.tolist() == [[1, 0], [0, 1], [0, 0], [0, 1]]
    assert '2 of them in the column "cat"' in found.warnings[0]

    found, result = targets(table(tmp_path, "path,cat,dog\na.png,x,\nb.png,,x\n"), "multi_label")
    assert (result.values.tolist(), found.warnings) == ([[1, 0], [0, 1]], [])


def test_a_half_empty_column_is_reported_and_can_be_used(tmp_path: Path) -> None:
    path = table(tmp_path, "path,mass,height\na.png,1.5,3\nb.png,n/a,4\nc.png,,5\nd.png,4,6\n")
    found, result = targets(path, "regression")
    assert result.names == ("height",)
    assert 'column "mass" was left out: 2 of 4 cells' in found.warnings[0]
    assert "--target-columns" in found.warnings[0]

    found, result = targets(path, "regression", target_columns=["mass"])
    assert result.values.tolist() == [[1.5], [4]]
    assert [(each.path, each.line) for each in found.problems] == [("b.png", 3), ("c.png", 4)]
    assert not found.warnings


@pytest.mark.parametrize(
    ("heading", "numbers", "is_used"),
    [
        ("id", (17, 18, 19, 20, 25, 24), False),
        ("sample_id", (5, 3, 9, 4, 1, 2), False),
        ("", (0, 1, 2, 3, 4, 5), False),
        ("Unnamed: 0", (0, 1, 2, 3, 4, 5), False),
        ("order", (1, 2, 3, 4, 5, 6), False),
        ("count", (3, 9, 2, 30, 4, 5), True),
        ("width", (17, 18, 30, 20, 25, 24), True),
    ],
)
def test_numbers_of_rows_are_no_quantities(
    tmp_path: Path, heading: str, numbers: Sequence[int], is_used: bool
) -> None:
    names = [f"x{number}.png" for number in numbers]
    lines = [f"{number},x{number}.png,{number * 1.5}\n" for number in numbers]
    path = table(tmp_path, f"{heading},path,mass\n" + "".join(lines), *names)
    found, result = targets(path, "regression")

    assert result.names == ((heading, "mass") if is_used else ("mass",))
    assert bool(found.warnings) != is_used
    if not is_used:
        assert (heading or "Unnamed: 0") in found.warnings[0]
        column = heading or "Unnamed: 0"
        _, result = targets(path, "regression", target_columns=[column])
        assert result.values[:, 0].tolist() == list(numbers)


def test_a_table_whose_only_numbers_are_those_of_its_rows_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "id,path\n1,a.png\n2,b.png\n")
    with pytest.raises(StudioError, match="no column that is used") as caught:
        targets(path, "regression")
    assert '"id" numbers the rows' in caught.value.hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path,mass\na.png,1.5 g\nb.png,2 g\n", [[1.5], [2]]),
        ("path;mass\na.png;1,5\nb.png;2\n", [[1.5], [2]]),
        ("path;price\na.png;1,5 €\nb.png;2,25 €\n", [[1.5], [2.25]]),
        ('path;mass\na.png;="1,5"\nb.png;="2"\n', [[1.5], [2]]),
        ('path,mass\na.png,"1,500"\nb.png,"2,250.5"\n', [[1500], [2250.5]]),
        ("path;mass\na.png;1.500\nb.png;2.250,5\n", [[1500], [2250.5]]),
    ],
)
def test_forms_of_numbers(tmp_path: Path, text: str, expected: list[list[float]]) -> None:
    found, result = targets(table(tmp_path, text), "regression")
    assert result.values.tolist() == expected
    assert not found.warnings


def test_thousands_that_may_be_decimals_are_pointed_out(tmp_path: Path) -> None:
    found, result = targets(
        table(tmp_path, 'path,mass\na.png,"1,500"\nb.png,"2,250"\n'), "regression"
    )
    assert result.values.tolist() == [[1500], [2250]]
    assert '"1,500" was read as 1500' in found.warnings[0]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ("2 5 7 -999", "has the number -999, far from"),
        ("0 700 1500 -999", ""),
        ("0 700 1500 -999 -999", "has the number -999 2 times"),
        ("0 98 99 99", ""),
        ("0 98 999 999", "has the number 999 2 times"),
    ],
)
def test_numbers_that_may_stand_for_missing_values_are_pointed_out(
    tmp_path: Path, numbers: str, said: str
) -> None:
    names = [f"{index}.png" for index in range(len(numbers.split()))]
    lines = "".join(f"{pair[0]},{pair[1]}\n" for pair in zip(names, numbers.split(), strict=True))
    found, _ = targets(table(tmp_path, f"path,mass\n{lines}", *names), "regression")
    warnings = " ".join(map(str, found.warnings))
    assert bool(warnings) == bool(said)
    assert said in warnings


def test_a_column_without_numbers_that_was_requested_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "path,mass,remark\na.png,1,good\nb.png,2,bad\n")
    with pytest.raises(StudioError, match='"remark" contains "good"'):
        targets(path, "regression", target_columns=["mass", "remark"])


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("path,labels\na.png,\"['cat', 'dog']\"\nb.png,['dog']\nc.png,['cat']\n", "multi_label"),
        ('path,mass\na.png,"1,5"\nb.png,NaN\nc.png,"2,5"\n', "regression"),
        ("id_code,diagnosis\na,0\nb,1\nc,0\nd,1\n", ""),
    ],
)
def test_the_proposed_task_reads_tables_in_the_same_way(
    tmp_path: Path, text: str, task: str
) -> None:
    hint = other_task(table(tmp_path, text), SourceOptions())
    assert (f"--task {task}" in hint) if task else not hint


_FAULTS = st.sampled_from(["", "", "", "gone", "wide", "quote", "empty", "twice", "missing"])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    faults=st.lists(_FAULTS, min_size=1, max_size=12),
    task=st.sampled_from(["classification", "regression"]),
    delimiter=st.sampled_from([",", ";", "\t"]),
)
@example(faults=["quote", "empty", "empty", "empty"], task="regression", delimiter=",")
def test_every_row_is_read_or_reported(
    tmp_path: Path, faults: list[str], task: str, delimiter: str
) -> None:
    """The rows that are read with their values, and those that are reported, are all rows."""
    heading, values = ("label", ("cat", "dog")) if task == "classification" else ("mass", (1.5, 2))
    rows = [["path", heading], ["good.png", str(values[0])], ["fine.png", str(values[1])]]
    lines = [delimiter.join(row) for row in rows]
    for number, fault in enumerate(faults):
        name, value = f"{number}.png", str(values[number % 2])
        (tmp_path / name).touch()  # the folder is that of all examples
        cells = {
            "gone": [f"gone {name}", value],
            "wide": [name, value, "x"],
            "quote": [f'"{name}"x', value],
            "empty": ["", value],
            "twice": ["good.png", value],
            "missing": [name, "NaN"],
        }.get(fault, [name, value])
        lines.append(delimiter.join(cells))
    path = table(tmp_path, "\n".join(lines), "good.png", "fine.png")
    if task == "classification":
        found = scan(path)
        read = {item.key: item.class_name for item in found.items}
    else:
        found, result = targets(path, task, target_columns=["mass"])
        read = {
            item.key: value
            for item, value in zip(found.items, result.values[:, 0].tolist(), strict=True)
        }

    reported = [problem.line for problem in found.problems]
    expected = {
        f"{number}.png": values[number % 2] for number, fault in enumerate(faults) if not fault
    }
    assert read == {"good.png": values[0], "fine.png": values[1]} | expected
    assert sorted(reported, key=str) == sorted(
        (number + 4 for number, fault in enumerate(faults) if fault), key=str
    )
    assert all(problem.reason for problem in found.problems)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=6),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_values_of_an_independent_writer(
    tmp_path: Path,
    values: list[float],
    delimiter: str,
    quoting: int,
    encoding: str,
    ending: str,
) -> None:
    names = [f"ü {number}.png" for number in range(len(values))]
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=ending)  # type: ignore[arg-type]
    rows = [(name, f"{value:.9g}") for name, value in zip(names, values, strict=True)]
    writer.writerows([("Datei", "Größe [cm]"), *rows])
    path = table(tmp_path, file.getvalue().encode(encoding), *names)
    found, result = targets(path, "regression", target_columns=["Größe"])

    assert (result.names, result.units) == (("Größe",), ("cm",))
    by_name = {
        item.key: value
        for item, value in zip(found.items, result.values[:, 0].tolist(), strict=True)
    }
    assert by_name == dict(zip(names, np.array(values, np.float32).tolist(), strict=True))
    assert not found.problems


def test_a_flag_of_usable_images_is_no_split(tmp_path: Path) -> None:
    text = "path,label,is_valid\na.png,cat,True\nb.png,dog,True\nc.png,cat,False\n"
    found = scan(table(tmp_path, text))
    assert {item.split for item in found.items} == {None}
    (warning,) = map(str, found.warnings)
    assert 'The column "is_valid" has 3 cells that name no split: True, False' in warning
