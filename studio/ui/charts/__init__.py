"""Charts with one base: legend, table, export, accessible summary, zoom, log scale, smoothing.

`Chart` (chart.py) has the header with its tools, the legend, the table view, the export as CSV,
PNG and SVG and the description for screen readers. A chart gives it a plot and a table:
`LineChart` curves, `FigureChart` finished data, `ScatterChart` and `MapChart` dots,
`ConfusionChart` cells, and the views in `sweeps` dots, cells, bars, surfaces and parallel
coordinates. Curves and dots are on `Plot` (plot.py), cells on `HeatMap`. The curve engine is
`series` and `curves`.

Must not import pages, shell or bridge. pyqtgraph and NumPy are imported
when the first chart is built, not when this package is: the window starts without them.
"""
