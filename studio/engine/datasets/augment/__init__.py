"""Augmentation: changed copies of the training images, computed on the host during training.

Never imports Qt or Keras. `plan` stays free of NumPy and Pillow, because the window
imports them when it starts. Changes of an image depend only on (seed, epoch, row), and those of
batches on (seed, epoch, batch), so a resumed run gets the same images.

To add an operation: 1. declare its fields in `plan.py`, off by default; 2. write a function in
`operations.py`; 3. list it in `OPERATIONS`.
"""
