"""Runs the .pt2 file of this folder with PyTorch, on the CPU."""

import numpy as np
import torch

NAME = f"torch {torch.__version__}"


def load(path):
    """A function from images, n x height x width x channels, to scores, n x classes."""
    program = torch.export.load(str(path)).module()

    def run(images):
        with torch.inference_mode():
            return program(torch.from_numpy(images.astype(np.float32))).numpy()

    return run
