"""Collects every text that the window can show, and keeps the files of the translations.

`python -m studio.ui.language_files` in a checkout writes into `assets/translations` the file
`studio_<language>.ts` (what was translated stays, what is new is marked unfinished, what is gone
is dropped) and the compiled `.qm` beside it. Codes of new languages may follow the command.
A tool for those who change Studio: the window does not import it.
"""
