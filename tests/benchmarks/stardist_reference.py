"""Train StarDist for some minutes on label images, and measure what it finds on the test images.

    python tests/benchmarks/stardist_reference.py FOLDER --python ENV/bin/python [--minutes 30]

FOLDER has `train` and `test`, each with `images` and `labels`, as the nuclei of the acceptance.
ENV is an environment of its own, since StarDist needs an older TensorFlow:
`pip install 'tensorflow-cpu==2.15.1' 'numpy<2' 'stardist==0.9.2' pillow`. Without it the benchmark
says so and ends. It prints StarDist's AP at IoU 0.5, TP / (TP + FP + FN), with the thresholds that
StarDist tunes on validation images, and COCO mask AP and AP50 by pycocotools.

StarDist trains as its example notebooks do: grid 2, patches of 256 pixels, batches of four, flips,
quarter turns and brightness; 20 % of the training images are for validation. Minutes are those of
all cores, as processor time, so that other work on the machine takes none of them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

OVERLAP = 0.5


def read(folder: Path) -> tuple[list[Any], list[Any]]:
    """Return the gray images, 0 to 1, and the label images of a split."""
    paths = sorted((folder / "images").iterdir())
    images = [np.asarray(Image.open(each), np.float32) for each in paths]
    labels = []
    for each in paths:
        (path,) = (folder / "labels").glob(f"{each.stem}.*")
        labels.append(np.asarray(Image.open(path)).astype(np.int32))
    return images, labels


def train_and_predict(folder: Path, to: Path, minutes: float) -> None:
    """Train in the environment of StarDist; write what it finds on the test images."""
    import tensorflow as tf

    normalize = import_module("csbdeep.utils").normalize
    stardist = import_module("stardist.models")

    images, labels = read(folder / "train")
    images = [normalize(each, 1, 99.8) for each in images]
    order = np.random.default_rng(0).permutation(len(images))
    val, train = order[: len(order) // 5], order[len(order) // 5 :]
    random = np.random.default_rng(1)

    def augmented(x: Any, y: Any) -> tuple[Any, Any]:
        turns, flips = int(random.integers(4)), int(random.integers(2))
        x, y = np.rot90(x, turns), np.rot90(y, turns)
        if flips:
            x, y = x[:, ::-1], y[:, ::-1]
        x = x * random.uniform(0.6, 2) + random.uniform(-0.2, 0.2)
        return x + 0.02 * random.random() * random.standard_normal(x.shape), y

    class UntilTime(tf.keras.callbacks.Callback):  # type: ignore[misc]  # no types
        """Ends the training when the minutes are over, as processor time of all cores."""

        def on_train_begin(self, logs: Any = None) -> None:
            self.end = time.process_time() + minutes * 60 * (os.cpu_count() or 1)

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            self.model.stop_training = time.process_time() > self.end

    config = stardist.Config2D(
        n_rays=32,
        grid=(2, 2),
        n_channel_in=1,
        train_batch_size=4,
        train_patch_size=(256, 256),
        train_steps_per_epoch=len(train) // 4,
        train_epochs=10_000,
        train_reduce_lr={"factor": 0.5, "patience": 10, "min_delta": 0},
        train_tensorboard=False,
    )
    model = stardist.StarDist2D(config, name="nuclei", basedir=str(to))
    model.prepare_for_training()
    model.callbacks.append(UntilTime())
    start = time.process_time()
    every = [[each[at] for at in rows] for rows in (train, val) for each in (images, labels)]
    history = model.train(
        every[0], every[1], validation_data=(every[2], every[3]), augmenter=augmented, workers=1
    )
    seconds = time.process_time() - start
    model.optimize_thresholds(every[2], every[3])
    results: dict[str, Any] = {"seconds": seconds, "epochs": len(history.history["loss"])}
    for at, image in enumerate(read(folder / "test")[0]):
        scaled = normalize(image, 1, 99.8)
        results[f"shown_{at}"] = model.predict_instances(scaled)[0]
        # COCO ranks all objects, also those of low scores.
        found, details = model.predict_instances(scaled, prob_thresh=0.05)
        results[f"all_{at}"], results[f"score_{at}"] = found, details["prob"]
    np.savez_compressed(to / "found.npz", **results)


def pairs_of(truth: Any, found: Any) -> int:
    """Return the number of objects that are matched at IoU 0.5: such a match is unique."""
    count = np.zeros((truth.max() + 1, found.max() + 1))
    np.add.at(count, (truth.ravel(), found.ravel()), 1)
    union = count.sum(1, keepdims=True) + count.sum(0) - count
    return int((count[1:, 1:] / np.maximum(union[1:, 1:], 1) > OVERLAP).sum())


def coco_of(labels: list[Any], found: list[Any], scores: list[Any]) -> tuple[float, float]:
    """Return mask AP and AP50 by pycocotools; StarDist numbers objects from the best one on."""
    coding = import_module("pycocotools.mask")
    coco, scoring = (import_module(f"pycocotools.{name}") for name in ("coco", "cocoeval"))

    def objects(every: list[Any], values: list[Any] | None) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for image, label in enumerate(every):
            for number in np.unique(label[label > 0]):
                mask = np.asfortranarray(label == number).astype(np.uint8)
                coded, area = coding.encode(mask), int(mask.sum())
                row = {"image_id": image, "category_id": 1, "segmentation": coded, "area": area}
                row |= {"id": len(rows) + 1, "iscrowd": 0, "bbox": coding.toBbox(coded).tolist()}
                if values is not None:
                    row["score"] = float(values[image][number - 1])
                rows.append(row)
        return rows

    truth = coco.COCO()
    truth.dataset = {
        "images": [
            {"id": at, "height": each.shape[0], "width": each.shape[1]}
            for at, each in enumerate(labels)
        ],
        "categories": [{"id": 1}],
        "annotations": objects(labels, None),
    }
    truth.createIndex()
    scored = scoring.COCOeval(truth, truth.loadRes(objects(found, scores)), "segm")
    scored.params.maxDets = [1, 10, 1000]
    scored.evaluate()
    scored.accumulate()
    precision = scored.eval["precision"][..., 0, -1]
    return float(precision.mean()), float(precision[0].mean())


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--to", type=Path, help="where StarDist trains, as one part of this")
    options = parser.parse_args()
    if options.to is not None:
        train_and_predict(options.folder, options.to, options.minutes)
        return
    known = [str(options.python), "-c", "import stardist"]
    if (
        not options.python.exists()
        or subprocess.run(known, capture_output=True, check=False).returncode
    ):
        print(f"skipped: {options.python} has no stardist")
        return
    with tempfile.TemporaryDirectory() as to:
        words = [str(options.python), __file__, str(options.folder), "--python", "-", "--to", to]
        subprocess.run([*words, "--minutes", str(options.minutes)], check=True, stdout=sys.stderr)
        results = dict(np.load(Path(to) / "found.npz"))
    labels = read(options.folder / "test")[1]
    every = range(len(labels))
    shown, found = ([results[f"{kind}_{at}"] for at in every] for kind in ("shown", "all"))
    right = sum(pairs_of(*each) for each in zip(labels, shown, strict=True))
    objects, given = (sum(len(np.unique(x[x > 0])) for x in each) for each in (labels, shown))
    print(
        f"StarDist: {results['epochs']} epochs, {results['seconds']:,.0f} s of processor time\n"
        f"AP at IoU 0.5, TP / (TP + FP + FN): {right / (objects + given - right):.3f} "
        f"({objects} objects, {given} found)",
        flush=True,
    )
    ap, ap50 = coco_of(labels, found, [results[f"score_{at}"] for at in every])
    print(f"COCO mask AP {ap:.3f}, AP50 {ap50:.3f}")


if __name__ == "__main__":
    main()
