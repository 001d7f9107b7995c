"""Malformed files for every reader of foreign data: nothing may crash, run code or say nothing.

`readers` lists what is read, `mutations` how it is spoiled, `watch` what must not happen. The
tests do a few thousand; for more, by hand: `PYTHONPATH=.:tests:tests/engine/datasets python -m
fuzz --count 100000`.
"""
