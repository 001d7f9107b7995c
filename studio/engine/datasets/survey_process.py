"""The process that looks through the sources of a dataset for the window."""

from __future__ import annotations

from typing import Any

from studio.engine.datasets.survey import SurveyQuestion, survey
from studio.engine.errors import StudioError
from studio.engine.jobs.memory_limit import half_of_memory, limit_memory
from studio.engine.jobs.one_request import Replies, answer_one


def main() -> int:
    """Answer one question."""
    limit_memory(half_of_memory())
    return answer_one(_survey)


def _survey(data: dict[str, Any], replies: Replies) -> None:
    question = SurveyQuestion.of_data(data)
    try:
        found = survey(question, replies)
    except MemoryError as error:
        raise StudioError(
            "Reading {source} needs more memory than is allowed.",
            "The file may be damaged or malicious. Import it in smaller parts.",
            "source",
            source=question.recipe.source,
        ) from error
    replies.send({"found": found.to_data()})
