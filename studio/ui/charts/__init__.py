"""Charts with one base: legend, table, export, accessible summary, zoom, log scale, smoothing.

`Chart` (chart.py) has the header with its tools, the legend, the table view, the export as CSV,
PNG and SVG and the description for screen readers. A subclass adds a plot and a table:
`LineChart` curves, `FigureChart` lines of finished data, `ScatterChart` and `MapChart` dots,
`ConfusionChart` cells, and the views in `sweeps` dots, cells, bars, surfaces and parallel
coordinates. Lines, curves and dots are drawn on a `Plot` (plot.py), which has the axes (axes.py),
the zoom and the keys of all of them; cells on a `HeatMapChart`. The curve engine is `series`,
`curves` and `line_chart`; `primitives` draws its arrays by pyqtgraph.

Must not import pages, shell or bridge. pyqtgraph and NumPy are imported
when the first chart is built, not when this package is: the window starts without them.
"""
