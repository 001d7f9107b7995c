"""Collects every text that the window can show, and keeps the files of the translations.

`python -m studio.ui.language_files` in a checkout writes into `assets/translations` the file
`studio_<language>.ts` (existing translations are kept, new texts are marked unfinished, removed
texts are dropped) and the compiled `.qm` beside it. Codes of new languages may follow the command.
A tool for developers: the window does not import it.
"""
