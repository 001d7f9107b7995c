"""Times an exported model. Run by Studio in a process with NumPy and the model's runtime only.

    python -I pace.py FOLDER MODEL HEIGHTxWIDTHxCHANNELS BATCH IMAGES SECONDS PROVIDER

FOLDER holds `runtime.py` and MODEL. Images of noise are predicted in batches until IMAGES were,
and ten batches; or SECONDS are over, and three. The figures are printed, as one line of JSON. It
ends when its standard input is closed: whoever wanted the figures is gone then.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np

WARM = 3
LEAST, AT_LAST = 10, 3


def end_with_input():
    while os.read(0, 1):
        pass
    os._exit(1)


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


def timed(model, images, wanted, seconds):
    """Seconds of each of many calls."""
    for _ in range(WARM):
        model(images)
    times, until = [], time.perf_counter() + seconds
    while len(times) < wanted:
        if len(times) >= AT_LAST and time.perf_counter() >= until:
            break
        began = time.perf_counter()
        model(images)
        times.append(time.perf_counter() - began)
    return times


def main():
    folder, name, shape = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    batch, count, seconds, provider = *map(int, sys.argv[4:6]), float(sys.argv[6]), sys.argv[7]
    threading.Thread(target=end_with_input, daemon=True).start()
    size = [batch, *map(int, shape.split("x"))]
    images = np.random.default_rng(0).integers(0, 256, size, np.uint8)
    sys.path.insert(0, str(folder))
    began = time.perf_counter()
    import runtime

    if provider in ("cuda", "tensorrt"):
        model = runtime.load(folder / name, provider)
    else:
        model = runtime.load(folder / name)
    loaded = time.perf_counter() - began
    if provider == "gpu":
        require_gpu()
    times = timed(model, images, max(LEAST, -(-count // batch)), seconds)
    figures = {
        "calls": len(times),
        "p50_seconds": float(np.percentile(times, 50)),
        "p95_seconds": float(np.percentile(times, 95)),
        "images_per_second": batch * len(times) / sum(times),
        "load_seconds": loaded,
        "peak_bytes": peak_bytes(),
        "runtime": runtime.NAME,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
