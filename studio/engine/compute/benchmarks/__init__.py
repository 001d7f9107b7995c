"""The measurements of benchmarks: single operations, and the training of a cell of a study."""
