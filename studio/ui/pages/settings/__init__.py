"""The page of settings: a searchable list of groups, each row with its help; all act at once.

To add a setting: 1. where it is kept: `ui/settings.py`, or `engine/workspace/limits.py` if the
command line needs it, too. 2. a `SettingRow` in the group that it belongs to.
"""
