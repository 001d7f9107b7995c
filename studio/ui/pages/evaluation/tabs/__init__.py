"""The tabs of a report, each a `ReportTab`.

To add a tab: 1. a file with a `ReportTab`; 2. one line in `TABS` of `report_panel.py`.
"""
