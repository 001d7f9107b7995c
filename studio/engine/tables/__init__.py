"""Tables in text files: encoding, rows, numbers, missing values, lists, and the roles of columns.

All tasks read their tables with it. Imports errors, messages, files and `csv_cells` alone.
"""
