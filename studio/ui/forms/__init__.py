"""Forms that build themselves from a plan: one editor per field, its help, what is wrong with it.

Must not import pages, shell, bridge, or anything of the engine but `plans` and `errors`.

To add a kind of field: 1. an editor in `editors.py`. 2. its line in `make_editor`.
"""
