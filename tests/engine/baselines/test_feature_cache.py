"""Features are kept once, whole or not at all, and make room for others."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from studio.engine.baselines.cache import FeatureCache, FeatureKey, digest_of
from studio.engine.errors import StudioError

KEY = FeatureKey(dataset="d", images="i", network="n", weights="w", shape=(2, 3), label="Net")


def _features(rows: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return (np.array(rows, np.float32)[:, None, None] + np.zeros((1, 2, 3))).astype(np.float32)


def _rows(*rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(rows, np.int64)


def test_parts_add_up(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path / "features")
    assert len(cache.open(KEY).rows) == 0
    cache.add(KEY, _rows(7, 3), _features([7, 3]))
    cache.add(KEY, _rows(5), _features([5]))

    table = cache.open(KEY)

    assert table.rows.tolist() == [3, 5, 7]
    assert table.missing(_rows(9, 5, 1, 9)).tolist() == [1, 9]
    assert table[_rows(7, 5, 7)].tolist() == _features([7, 5, 7]).tolist()
    with pytest.raises(KeyError):
        table[_rows(3, 4)]
    with pytest.raises(KeyError):
        table[_rows(8)]


@pytest.mark.parametrize("field", ["dataset", "images", "network", "weights"])
def test_everything_that_matters_is_in_the_key(field: str) -> None:
    assert KEY.model_copy(update={field: "other"}).digest != KEY.digest
    assert KEY.model_copy(update={"shape": (6,)}).digest != KEY.digest
    assert KEY.model_copy(update={"label": "other"}).digest == KEY.digest


def test_contents_do_not_run_together() -> None:
    assert digest_of("ab", "c") != digest_of("a", "bc")


def test_a_damaged_part_is_computed_again(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path)
    cache.add(KEY, _rows(1, 2), _features([1, 2]))
    cache.add(KEY, _rows(3), _features([3]))
    first = sorted(
        (tmp_path / KEY.digest).glob("part-*.npy"), key=lambda path: path.stat().st_size
    )
    first[-1].write_bytes(first[-1].read_bytes()[:100])
    (tmp_path / KEY.digest / "part-zz.npy").write_bytes(b"rubbish")

    assert cache.open(KEY).rows.tolist() == [3]


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    keys = [KEY.model_copy(update={"network": name, "label": name}) for name in ("a", "b", "c")]
    part = 100 * (8 + 6 * 4)
    cache = FeatureCache(tmp_path, limit=3 * part)
    for age, key in enumerate(keys[:2]):
        cache.add(key, np.arange(100), _features(list(range(100))))
        os.utime(tmp_path / key.digest / "about.json", (1000 + age, 1000 + age))
    cache.open(keys[0])

    cache.make_room(keys[2], 100)

    assert [each.key.label for each in cache.entries()] == ["a"]
    assert cache.entries()[0].images == 100
    assert cache.entries()[0].size_bytes >= part
    with pytest.raises(StudioError, match="the cache is limited to 0 MB"):
        cache.make_room(keys[2], 301)


def test_removing_and_clearing(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path / "features")
    other = KEY.model_copy(update={"weights": "other"})
    for key in (KEY, other):
        cache.add(key, _rows(1), _features([1]))
    (tmp_path / "features" / "damaged").mkdir()
    (tmp_path / "features" / "damaged" / "about.json").write_text("{")

    cache.remove(KEY)
    assert [each.key for each in cache.entries()] == [other]
    assert cache.clear() > 0
    assert cache.entries() == []
    assert not (tmp_path / "features").exists()
    assert cache.clear() == 0
