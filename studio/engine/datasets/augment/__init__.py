"""Augmentation: changed copies of the training images, made on the host while training runs.

Never imports Qt or Keras. `plan` stays free of NumPy and Pillow, because the window
imports them when it starts. Everything an image gets depends only on (seed, epoch, row), and what
is done to whole batches on (seed, epoch, batch), so a resumed run sees what the first would have.

To add an operation: 1. declare its fields in `plan.py`, off by default; 2. write a function in
`operations.py`; 3. list it in `OPERATIONS`.
"""
