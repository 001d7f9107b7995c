"""A bare Keras model in a process of its own, to hold the engine host against."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from PIL import Image

CLASSES = 10
SIDE = 224

# MobileNetV2 with random weights, which takes what Studio's models take: numbers from 0 to 255.
# Such weights alone give the same scores for every image, so the mean color has a say as well.
MAKE = """
import sys
import keras
keras.utils.set_random_seed(0)
classes = int(sys.argv[2])
inside = keras.applications.MobileNetV2(
    weights=None, classes=classes, classifier_activation=None
)
pixels = keras.Input((224, 224, 3), name="pixels")
scaled = keras.layers.Rescaling(1 / 127.5, offset=-1)(pixels)
color = keras.layers.Dense(classes)(keras.layers.GlobalAveragePooling2D()(scaled))
scores = keras.layers.Softmax()(inside(scaled) + color)
keras.Model(pixels, scores).save(sys.argv[1])
"""
BARE = """
import json, sys, time
import keras
import numpy as np
model = keras.saving.load_model(sys.argv[1], compile=False)
images = np.load(sys.argv[2])
for line in sys.stdin:
    batch, number = json.loads(line)
    if batch > 1:
        began = time.perf_counter()
        model.predict(images[:number], batch_size=batch, verbose=0)
        print(time.perf_counter() - began, flush=True)
        continue
    seconds = []
    for place in range(number):
        began = time.perf_counter()
        np.asarray(model.predict_on_batch(images[place : place + 1]))
        seconds.append(time.perf_counter() - began)
    print(json.dumps(seconds), flush=True)
"""


def make_model(path: Path) -> Path:
    """Write the model."""
    subprocess.run([sys.executable, "-c", MAKE, str(path), str(CLASSES)], check=True, env=_quiet())
    return path


def make_pictures(folder: Path, number: int, size: tuple[int, int] = (500, 375)) -> list[Path]:
    """JPEG files as large as those of ImageNet, each another one, as smooth as photographs."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(5)
    paths = []
    for index in range(number):
        coarse = Image.fromarray(random.integers(0, 256, (12, 16, 3), np.uint8))
        paths.append(folder / f"{index:05}.jpg")
        coarse.resize(size, Image.Resampling.BICUBIC).save(paths[-1], quality=90)
    return paths


class BareModel:
    """The model in its process; it sleeps while nothing is asked of it."""

    def __init__(self, model: Path, images: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", BARE, str(model), str(images)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_quiet(),
        )

    def many(self, number: int, batch: int) -> float:
        """Seconds of one `model.predict` on decoded images."""
        return float(self._asked(batch, number))

    def single(self, number: int) -> list[float]:
        """Seconds of each call with one decoded image."""
        seconds: list[float] = json.loads(self._asked(1, number))
        return seconds

    def _asked(self, batch: int, number: int) -> str:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps([batch, number]) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()


def _quiet() -> dict[str, str]:
    return {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
