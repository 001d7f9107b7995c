"""Parts that more than one page uses; each exists once, here.

`buttons`, `labels`, `tips` (help texts), `inputs`, `figures` (numbers as text), `layout` (rows,
columns, wrapping, `Debounce`), `pages` (header, stack, scrolled column, empty state), `cards`,
`notices`, `bars`, `small_charts`, `job_rows`, `table` (with `Column`s of `table_model`),
`thumbnails`, `picture_grid` (`PictureModel`), `pictures` (one picture) and `drop_area`.

Must not import pages, shell, bridge or anything of the engine but `csv_cells`, `errors`,
`glossary` and metrics: they show plain data.
"""
