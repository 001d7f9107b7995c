"""Parts that more than one page is made of: cards, badges, bars, notices, grids of pictures.

Must not import pages, shell, bridge or anything of the engine but `errors` and `glossary`: they
show plain data.
"""
