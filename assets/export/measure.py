"""Measures an exported model. Run by Studio in a process with NumPy and the model's runtime only.

    python -I measure.py FOLDER MODEL PROVIDER

FOLDER holds `runtime.py` and MODEL. Requests are read from standard input and answered on standard
output, one JSON object per line each. The process waits between them without using the processor,
so that two models can be timed in turns. It ends when its standard input is closed: whoever wanted
the figures is gone then.
"""

import contextlib
import io
import json
import os
import queue
import runpy
import sys
import threading
import time
from pathlib import Path

import numpy as np

BATCH = 32
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


def peak_bytes():
    """The most memory that this program ever had, where Linux tells.

    What `getrusage` says would count the process that started this one, where it was larger.
    """
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)


def require_gpu():
    """A framework without a GPU computes on the CPU without a word: that would be no figure."""
    if "tensorflow" in sys.modules:
        has_gpu = bool(sys.modules["tensorflow"].config.list_physical_devices("GPU"))
    elif "jax" in sys.modules:
        has_gpu = sys.modules["jax"].default_backend() == "gpu"
    else:
        has_gpu = sys.modules["torch"].cuda.is_available()
    if not has_gpu:
        raise RuntimeError("the framework finds no GPU, though this machine has one")


def by_script(folder):
    """What the script of the export says of its example, as its user will run it."""
    before, told = sys.argv, io.StringIO()
    (example,) = folder.glob("example.*")
    sys.argv = ["predict.py", str(example), "--json", "--whole"]
    sys.argv += ["--top", "1000000000"]
    try:
        with contextlib.redirect_stdout(told):
            runpy.run_path(str(folder / "predict.py"), run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"predict.py ended with {end.code}") from None
    finally:
        sys.argv = before
    answer = json.loads(told.getvalue().splitlines()[-1])[0]
    for key in ("boxes", "objects"):
        if key in answer:
            return answer[key]
    if "classes" in answer:
        return [{"class": each["class"], "score": each["share"]} for each in answer["classes"]]
    if "score" in answer:
        return [{"class": "anomaly", "score": answer["score"]}]
    if "predictions" in answer:
        return answer["predictions"]
    return [{"class": name, "score": value} for name, value in answer["values"].items()]


class Measured:
    """A model and its images; each public method answers a request."""

    def __init__(self, folder, name, provider):
        began = time.perf_counter()
        sys.path.insert(0, str(folder))
        import runtime

        if provider in ("cuda", "tensorrt"):
            self._model = runtime.load(folder / name, provider)
        else:
            self._model = runtime.load(folder / name)
        self._loaded = time.perf_counter() - began
        if provider == "gpu":
            require_gpu()
        self._folder, self._name, self._images = folder, runtime.NAME, None

    def images(self, file):
        """Take images from a file: n x height x width x channels."""
        self._images = np.load(file, mmap_mode="r")
        return {}

    def noise(self, shape):
        """Take images of noise: uint8, n x height x width x channels."""
        self._images = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
        return {}

    def scores(self, to):
        """Write the scores of all images to a file."""
        parts = [self._images[at : at + BATCH] for at in range(0, len(self._images), BATCH)]
        np.save(to, np.concatenate([self._model(np.asarray(part)) for part in parts]))
        return {}

    def libraries(self):
        """What runs the model. To be asked before the script is run: that also needs Pillow."""
        loaded = [name for name in LARGE if name in sys.modules]
        return {"runtime": self._name, "loaded": loaded}

    def resources(self):
        """What the model took until now."""
        return {
            "runtime": self._name,
            "load_seconds": self._loaded,
            "peak_bytes": peak_bytes(),
        }

    def block(self, batch, least, most, seconds):
        """Predict a batch again and again: milliseconds of each, processor seconds of all."""
        images = np.asarray(self._images[:batch])
        began = time.process_time()
        times = timed(self._model, images, least, most, seconds)
        return {"times_ms": times, "cpu_seconds": time.process_time() - began}

    def script(self):
        """Run the script of the export on its example."""
        return {"script": by_script(self._folder)}


def read_requests(requests):
    """Queue the lines of standard input, and end the process with it, whatever it is doing."""
    waiting = b""
    while part := os.read(0, 65536):
        *lines, waiting = (waiting + part).split(b"\n")
        for line in lines:
            requests.put(line)
    os._exit(1)


def main():
    requests = queue.SimpleQueue()
    threading.Thread(target=read_requests, args=(requests,), daemon=True).start()
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    measured = Measured(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
    while True:
        request = json.loads(requests.get())
        answer = getattr(measured, request.pop("do"))(**request)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
