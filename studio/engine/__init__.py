"""The engine: everything Studio can do, without a window.

Never imports Qt. Only `compute` and the worker entry above it import Keras.
"""
