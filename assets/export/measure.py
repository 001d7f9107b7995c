"""Measures an exported model. Run by Studio in a process with NumPy and the model's runtime only.

    python -I measure.py FOLDER IMAGES.npy

FOLDER is that of the export, IMAGES are uint8, n x height x width x channels. Requests are read
from standard input and answered on standard output, one JSON object per line each. The process
waits between them without using the processor, so that two models can be timed in turns. It ends
when its standard input is closed.
"""

import contextlib
import io
import json
import os
import runpy
import sys
import time
from pathlib import Path

import numpy as np

BATCH = 32
WARM = 5
# Of three, the median is none that was interrupted by another program.
LEAST_CALLS = 3
LEAST_BATCHES, MOST_BATCHES = 3, 100
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


def timed(model, images, least, most, seconds):
    """Milliseconds of each of many calls."""
    times, until = [], time.perf_counter() + seconds
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


class Measured:
    """A model and its images; each method answers a request."""

    def __init__(self, folder, images, runtime):
        card = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        self.folder, self.images, self.runtime = folder, images, runtime
        self.model = runtime.load(folder / card["model"])
        self.single = np.asarray(images[:1])

    def scores(self, to):
        """Write the scores of all images to a file."""
        parts = [self.images[at : at + BATCH] for at in range(0, len(self.images), BATCH)]
        np.save(to, np.concatenate([self.model(np.asarray(part)) for part in parts]))
        # Before the script is run: that also needs Pillow.
        loaded = [name for name in LARGE if name in sys.modules]
        return {"runtime": self.runtime.NAME, "loaded": loaded}

    def warm(self):
        """Predict one image a few times: first calls compile."""
        timed(self.model, self.single, WARM, WARM, 0)
        return {}

    def block(self, seconds):
        """Predict one image again and again: milliseconds of each, processor seconds of all."""
        began = time.process_time()
        times = timed(self.model, self.single, LEAST_CALLS, sys.maxsize, seconds)
        return {"times_ms": times, "cpu_seconds": time.process_time() - began}

    def batches(self):
        """Predict whole batches: images per second."""
        part = np.asarray(self.images[:BATCH])
        timed(self.model, part, WARM, WARM, 0)
        times = timed(self.model, part, LEAST_BATCHES, MOST_BATCHES, SECONDS)
        pace = len(part) * 1000 / float(np.median(times))
        return {"batch_size": len(part), "images_per_second": pace}

    def script(self):
        """Run the script of the export on its example."""
        return {"script": by_script(self.folder)}


def main():
    folder, images_file = map(Path, sys.argv[1:3])
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path.insert(0, str(folder))
    import runtime

    measured = Measured(folder, np.load(images_file, mmap_mode="r"), runtime)
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(measured, request.pop("do"))(**request)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
