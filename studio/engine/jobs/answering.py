"""The answering side of `host`: one JSON object per line each way."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TypeAlias

from pydantic import BaseModel

from studio.engine.errors import StudioError
from studio.engine.messages import to_json

Operation: TypeAlias = tuple[type[BaseModel], Callable[[Any], BaseModel]]
"""Type of the request of an operation, and the function that answers it."""


def reply(operations: Mapping[str, Operation], line: bytes) -> dict[str, Any]:
    """Answer a request.

    Args:
        operations: Operations by name.
        line: The request.
    """
    message = json.loads(line)
    try:
        question, operate = operations[message["op"]]
        answer = operate(question.model_validate(message["body"]))
    except StudioError as error:
        return refusal(message["id"], error)
    except Exception:  # noqa: BLE001 - reported to the caller as an internal error; the host continues
        return {"id": message["id"], "error": {"user": False, "message": traceback.format_exc()}}
    return {"id": message["id"], "body": answer.model_dump(mode="json")}


def refusal(number: int, error: StudioError) -> dict[str, Any]:
    """Return the answer to a request that a user's error prevents.

    Args:
        number: Id of the request.
        error: The error.
    """
    document = {
        "user": True,
        "message": to_json(error.message),
        "hint": to_json(error.hint),
        "where": error.where,
    }
    return {"id": number, "error": document}


def write_answer(answers: BinaryIO, message: dict[str, Any]) -> None:
    """Write an answer as a line.

    Args:
        answers: The pipe.
        message: The answer.
    """
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()
