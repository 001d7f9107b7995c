"""Writers of the export formats, one file each; declared in `engine/exporting/formats`.

To add a writer: 1. `<name>.py` with a function `write(model, folder) -> Path`; 2. one line below.
"""

from collections.abc import Callable
from pathlib import Path

import keras

from studio.engine.compute.exporters.keras_file import write as write_keras

WRITERS: dict[str, Callable[[keras.Model, Path], Path]] = {"keras": write_keras}
