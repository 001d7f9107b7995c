"""Fields of the plans that take a model file of another program."""

from __future__ import annotations

from typing import Literal

from studio.engine.inference.foreign_models import ModelOptions, Preprocessing
from studio.engine.plans import Plan, plan_field


class ModelFilePlan(Plan):
    """Base of plans whose model may be a file that says nothing about pixels and classes."""

    preprocessing: Preprocessing | Literal[""] = plan_field(
        "",
        label="Preprocessing",
        help="Preparation of pixels that a model file expects; empty if unknown.",
        level="hidden",
    )
    class_names: tuple[str, ...] = plan_field(
        (),
        label="Class names",
        help="Names of the outputs of a model file; empty if unknown.",
        level="hidden",
    )

    @property
    def model_options(self) -> ModelOptions:
        """Facts about a model file that its user knows."""
        return ModelOptions(self.preprocessing or None, self.class_names)
