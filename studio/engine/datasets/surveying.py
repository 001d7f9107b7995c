"""Looks through the sources of a dataset in another process, which can be stopped at any moment.

Sources come from anywhere: one that is made to take all memory, or to make a library in C hang or
crash, must not take the window with it.
"""

from __future__ import annotations

from contextlib import closing

from studio.engine.datasets.survey import SurveyQuestion, SurveyResult
from studio.engine.errors import StudioError
from studio.engine.jobs.launch import launch_survey
from studio.engine.jobs.one_request import replies_of
from studio.engine.progress import Progress


def survey_elsewhere(question: SurveyQuestion, progress: Progress) -> SurveyResult:
    """Answer a question in a separate process.

    Args:
        question: The images to look for.
        progress: Receives the progress and may cancel within a tenth of a second.

    Raises:
        StudioError: Nothing that can be imported is there, or the process ended over it.
        Cancelled: Through `progress`.
        OSError: The process could not be started.
    """
    with closing(replies_of(launch_survey, question.to_data(), progress)) as replies:
        for reply in replies:
            return SurveyResult.of_data(reply["found"])
    raise StudioError(
        "Reading {source} ended unexpectedly.",
        "The file may be damaged, or the machine is out of memory.",
        "source",
        source=question.recipe.source,
    )
