"""The start page: what to do first, what runs, what was done last.

Must not import other pages or the shell; it reads no pictures and no journals of its own.
"""
