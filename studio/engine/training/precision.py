"""Precisions of the layers of a network. Imports nothing."""

from __future__ import annotations

from typing import Literal

Precision = Literal["float32", "mixed_float16", "mixed_bfloat16"]
FULL: Precision = "float32"
BFLOAT16: Precision = "mixed_bfloat16"
