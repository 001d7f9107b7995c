"""Studio: train image classifiers in a window, on a command line, or from Python."""

__version__ = "0.1.0"
