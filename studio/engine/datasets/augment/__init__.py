"""Augmentation: changed copies of the training images, made on the host while training runs.

Never imports Qt or Keras. `plan` and `presets` stay free of NumPy and Pillow, because the window
imports them when it starts. Everything an image gets depends only on (seed, epoch, row), and what
is done to whole batches on (seed, epoch, batch), so a resumed run sees what the first would have.

To add an operation: 1. declare its fields in `plan.py`, off by default; 2. write
`operations/<name>.py` with an `Operation` that names them; 3. list it in `operations/__init__.py`.
"""
