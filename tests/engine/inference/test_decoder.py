"""Pictures are decoded by many threads, or at once by who asks for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from studio.engine.compute.predict import Decoder
from studio.engine.datasets.decode import load_image
from studio.engine.datasets.recipe import DatasetRecipe


def test_a_single_picture_is_read_directly_and_is_the_same(tmp_path: Path) -> None:
    recipe = DatasetRecipe(source="", width=20, height=30)
    noise = np.random.default_rng(0).integers(0, 256, (64, 48, 3), np.uint8)
    paths = [tmp_path / "one.png", tmp_path / "two.jpg"]
    for path in paths:
        Image.fromarray(noise).save(path)
    (tmp_path / "bad.png").write_bytes(b"no picture")
    decoder, names = Decoder(), [str(path) for path in paths]

    (one,) = decoder.decode(names[:1], recipe, then=names[1:], who="somebody")
    assert one.done()
    assert np.array_equal(one.result(), load_image(paths[0], recipe))
    (two,) = decoder.decode(names[1:], recipe, who="somebody")
    assert np.array_equal(two.result(), load_image(paths[1], recipe))

    for each, path in zip(decoder.decode(names, recipe), paths, strict=True):
        assert np.array_equal(each.result(), load_image(path, recipe))
    (bad,) = decoder.decode([str(tmp_path / "bad.png")], recipe)
    assert isinstance(bad.result(), str)
