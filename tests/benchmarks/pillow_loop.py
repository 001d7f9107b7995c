"""What anybody would write by hand to make an array of a folder's pictures; for `import_speed`.

Imports nothing of Studio, as no user's own script would.

    python tests/benchmarks/pillow_loop.py FOLDER SIDE
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image


def main() -> None:
    paths, side = sorted(Path(sys.argv[1]).rglob("*.jpg")), int(sys.argv[2])
    start, used = time.perf_counter(), time.process_time()
    stored = np.empty((len(paths), side, side, 3), np.uint8)
    for index, path in enumerate(paths):
        with Image.open(path) as image:
            small = image.convert("RGB").resize((side, side), Image.Resampling.BILINEAR)
        stored[index] = np.asarray(small)
    used, took = time.process_time() - used, time.perf_counter() - start
    print(json.dumps({"rate": len(paths) / took, "milliseconds": used / len(paths) * 1000}))


if __name__ == "__main__":
    main()
