"""The frame around the pages: rail, top bar, jobs tray, notices, drops, crash reports.

It only assembles: what a page does is the page's own. Never imports Keras.
"""
