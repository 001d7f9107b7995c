"""Datasets: sources of images, import, splits, the HDF5 store and its summaries.

Never imports Qt or Keras. This file, `recipe`, `summary`, `samples` and `sources` stay free of
NumPy, h5py and Pillow, because the window imports them when it starts.

To add an input format: 1. write `sources/<name>.py` with a class that is a `sources.base.Source`;
2. list it in `sources/__init__.py`.
To add a sample: 1. write a function that fills a folder, atomically; 2. list it in `samples.py`.
"""
