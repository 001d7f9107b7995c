"""Exports of models, and their certificates."""

from __future__ import annotations

from html import escape

from studio.api.notebook import table
from studio.api.records import RecordView
from studio.engine.exporting.certificate import ExportedFile, files_of


class Export(RecordView):
    """An export of a run, in one format or several.

    Examples:
        >>> files = [file for export in run.exports() for file in export.files]
        >>> all(file.path for file in files)
        True
    """

    @property
    def files(self) -> tuple[ExportedFile, ...]:
        """Each format with its `path` and `certificate`; empty if no file was written."""
        self.job.refresh()
        return files_of(self.job.history.result)

    def _repr_html_(self) -> str:
        """Return the files and what was measured for a notebook."""
        rows = [
            (f"{each.format} {each.precision}", each.path, "yes" if made.certified else "no")
            for each in self.files
            if (made := each.certificate) is not None
        ]
        return f"<p>{escape(repr(self))}</p>{table(['file', 'path', 'certified'], rows)}"
