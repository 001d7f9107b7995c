"""The parts of predictions: a closed list of what can be drawn, written and compared.

A task combines parts; it does not define new ones. Each part knows once its JSON data, text lines,
cells of tables, and files. Importing a part imports no NumPy.
"""
