"""Measures an exported model. Run by Studio in a process with NumPy and the model's runtime only.

    python -I measure.py FOLDER IMAGES.npy SCORES.npy

FOLDER is that of the export, IMAGES are uint8, n x height x width x channels. The scores are
written to a file; the figures are printed, as one line of JSON.
"""

import contextlib
import io
import json
import runpy
import sys
import time
from pathlib import Path

import numpy as np

BATCH = 32
WARM = 5
LEAST, MOST = 20, 300
SECONDS = 1.5
LARGE = (
    "tensorflow",
    "keras",
    "jax",
    "torch",
    "onnxruntime",
    "ai_edge_litert",
    "openvino",
    "studio",
)


def timed(model, images, least, most):
    """Milliseconds of each of many calls."""
    for _ in range(WARM):
        model(images)
    times, until = [], time.perf_counter() + SECONDS
    while len(times) < least or (len(times) < most and time.perf_counter() < until):
        began = time.perf_counter()
        model(images)
        times.append((time.perf_counter() - began) * 1000)
    return times


def by_script(folder):
    """What the script of the export says of its example, as its user will run it."""
    before, told = sys.argv, io.StringIO()
    sys.argv = ["predict.py", str(folder / "example.png"), "--json", "--top", "1000000000"]
    try:
        with contextlib.redirect_stdout(told):
            runpy.run_path(str(folder / "predict.py"), run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"predict.py ended with {end.code}") from None
    finally:
        sys.argv = before
    return json.loads(told.getvalue().splitlines()[-1])[0]["predictions"]


def main():
    folder, images_file, scores_file = map(Path, sys.argv[1:4])
    sys.path.insert(0, str(folder))
    import runtime

    card = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    images = np.load(images_file, mmap_mode="r")
    model = runtime.load(folder / card["model"])
    parts = [np.asarray(images[at : at + BATCH]) for at in range(0, len(images), BATCH)]
    np.save(scores_file, np.concatenate([model(part) for part in parts]))
    single = timed(model, np.asarray(images[:1]), LEAST, MOST)
    batches = timed(model, parts[0], 3, 100)
    figures = {
        "runtime": runtime.NAME,
        "latency_ms": float(np.percentile(single, 50)),
        "latency_p95_ms": float(np.percentile(single, 95)),
        "batch_size": len(parts[0]),
        "images_per_second": len(parts[0]) * 1000 / float(np.median(batches)),
        # Before the script is run: that also needs Pillow.
        "loaded": [name for name in LARGE if name in sys.modules],
    }
    print(json.dumps({**figures, "script": by_script(folder)}))


if __name__ == "__main__":
    main()
