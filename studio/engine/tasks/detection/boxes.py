"""The former place of `studio.engine.tasks.boxes`, for imports that are not adapted yet."""

from studio.engine.tasks.boxes import *  # noqa: F403
