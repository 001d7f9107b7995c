"""Builds the plan of a training from what a person names: dataset, network, recipe, fields.

The command line and the Python interface ask here, so that both answer alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio.engine.datasets.augment.plan import PRESETS as AUGMENTATIONS
from studio.engine.datasets.augment.plan import AugmentationPlan, added_names
from studio.engine.datasets.requests import dataset_summary, is_importing
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.jobs.job import Job
from studio.engine.messages import Text, as_message, message
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.catalog import network_with_output
from studio.engine.networks.library import is_export, read_export, resolve
from studio.engine.networks.parts import ALL
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import without_effect
from studio.engine.tasks import TASKS
from studio.engine.training.model_format import is_model
from studio.engine.training.plan import GRADIENT, RUN_PREFIX, TrainingPlan
from studio.engine.training.preprocessing import enlarged_to, enlarges, network_for
from studio.engine.training.recipes import PRESETS, RECIPES
from studio.engine.training.recommendation import (
    OFFERED,
    Suggestion,
    light_networks_in_cache,
    recommendation,
)
from studio.engine.training.starting_weights import network_of_run, weights_named
from studio.engine.training.trainers import trainer_of
from studio.engine.training.weight_matching import require_network_of
from studio.engine.workspace import Record, RecordKind, Workspace

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ReadModel:
    """The layers of a Keras file.

    Attributes:
        spec: The network.
        notes: What was changed when it was read.
    """

    spec: NetworkSpec
    notes: Sequence[Text] = ()


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Requested dataset, network and fields of a training.

    Attributes:
        dataset: Name or id of the dataset; empty for that of `base`.
        network: Name of a network, or a file with layers; empty for that of `base`, of the
            weights, or the one that is recommended.
        recipe: Name of a recipe for pretrained weights; empty for none.
        preset: Name of a preset of training settings; empty for none.
        augment: Name of a preset of augmentation; empty for none.
        fields: Fields of the plan; they override those of recipe and preset.
        assignments: Fields that are set last, by dotted names.
        base: Values of a plan to start from, as plain data.
        varies: True if the fields of a sweep vary, so that steps must have an effect.
    """

    dataset: str = ""
    network: str = ""
    recipe: str = ""
    preset: str = ""
    augment: str = ""
    fields: Fields = field(default_factory=dict)
    assignments: Fields = field(default_factory=dict)
    base: Fields = field(default_factory=dict)
    varies: bool = False


class PlanListener:
    """Receives what a planner decides, for people; does nothing unless a subclass does."""

    def note(self, text: Text) -> None:
        """Receive a sentence about a choice."""

    def suggested(self, dataset: Record, suggestions: Sequence[Suggestion]) -> None:
        """Receive the recommended ways to train.

        Args:
            dataset: Record of the dataset.
            suggestions: The ways, the chosen one first.
        """


@dataclass(frozen=True, slots=True)
class Planner:
    """Builds plans for the datasets of a workspace.

    Attributes:
        workspace: The workspace.
        read_model: Reads the layers of a Keras file.
        wait_for_import: Waits until a dataset is imported, on which a recommendation depends.
        listener: Receives what was chosen, and why.
    """

    workspace: Workspace
    read_model: Callable[[Path], ReadModel]
    wait_for_import: Callable[[Job], object]
    listener: PlanListener = field(default_factory=PlanListener)

    def plan(self, request: PlanRequest) -> TrainingPlan:
        """Return the plan that was asked for.

        Raises:
            StudioError: Names everything that is wrong with it.
        """
        given = request.fields
        data = self._beginning(request, given)
        for name in ("optimizer", "schedule"):
            if name in given and given[name] != data.get(name):
                data.pop(f"{name}_options", None)  # numbers of another one
        plan = TrainingPlan.parse({**data, **given})
        if request.recipe:
            plan = self._by_recipe(request, plan)
        plan = plan.changed(**request.assignments)
        plan = plan.changed(weights=weights_named(self.workspace, plan.weights))
        self._note_enlarging(plan)
        return self._enlarging_as_run(plan)

    def _beginning(self, request: PlanRequest, given: Fields) -> dict[str, object]:
        """Return a plan as plain data, before its fields: preset, data, network."""
        data = dict(request.base)
        has_network = "network" in data
        if request.preset:
            data |= PRESETS[request.preset].changes()
        if request.dataset:
            data["dataset"] = self.workspace.find(RecordKind.DATASET, request.dataset).id
            data.pop("dataset_version", None)
        elif "dataset" not in data:
            raise StudioError("A dataset is required.", "Name it with --dataset.", "dataset")
        if request.network:
            data |= self._network(request.network, has_weights="weights" in given)
        elif not has_network:
            data = self._chosen(request, given, data)
        augment = request.augment
        if request.preset and not augment:
            augment = PRESETS[request.preset].augmentation
        if augment:
            data["augmentation"] = self._augmentation(augment, str(data["dataset"]))
        return data

    def _augmentation(self, name: str, dataset: str) -> AugmentationPlan:
        """Return a preset without what the images of a dataset cannot have.

        Args:
            name: Name of the preset, or of an operation of a package.
            dataset: Id of the dataset.
        """
        if name not in AUGMENTATIONS and name in added_names():
            return AugmentationPlan(added=name)
        preset = AUGMENTATIONS[name]
        record = self.workspace.find(RecordKind.DATASET, dataset)
        if is_importing(record):
            return preset.plan
        pixels = dataset_summary(record.folder).pixel_format
        left_out = preset.left_out(pixels)
        if left_out:
            self.listener.note(
                message(
                    "The augmentation “{preset}” leaves out {fields}: the images have other "
                    "channels than red, green and blue.",
                    preset=name,
                    fields=", ".join(left_out),
                )
            )
        return preset.plan_for(pixels)

    def _chosen(
        self, request: PlanRequest, given: Fields, data: dict[str, object]
    ) -> dict[str, object]:
        """Return network and settings of a plan: recommended, for the weights if there are any.

        With the weights of a run, the settings stay as they are.
        """
        written = dict(request.base) | dict(given)
        backend = {"backend": written["backend"]} if "backend" in written else {}
        plan = TrainingPlan.parse(data | backend)
        dataset = self._imported_dataset(plan)
        weights = weights_named(self.workspace, str(written.get("weights") or ""))
        if weights.startswith(RUN_PREFIX):
            return data | self._network_of_weights(dataset, weights)
        suggestions = recommendation(self.workspace, dataset, weights)
        if weights:
            suggestions = tuple(each for each in suggestions if each.weights == weights)
        if request.recipe:
            is_pretrained = RECIPES[request.recipe].is_pretrained
            suggestions = tuple(
                each for each in suggestions if (each.kind != "scratch") == is_pretrained
            )
        if not suggestions and weights:
            return data | self._network_of_weights(dataset, weights)
        if not suggestions:
            network = light_networks_in_cache() or [OFFERED]
            return data | self._network_of_weights(dataset, IMAGENET, network[0])
        self.listener.suggested(dataset, suggestions)
        summary = dataset_summary(dataset.folder, plan.dataset_version)
        plan = suggestions[0].apply(plan, summary, preset=not request.preset)
        if _asks_for_steps(request, written, plan):
            plan = plan.changed(head_solver=GRADIENT)
        # What a file of a plan says is no default.
        return plan.model_dump() | dict(request.base) | {"dataset": plan.dataset}

    def _network_of_weights(
        self, dataset: Record, weights: str, network: str = ""
    ) -> dict[str, object]:
        """Return the network of weights."""
        if weights.startswith(RUN_PREFIX):
            return self._network_of_run(weights)
        if weights == IMAGENET:
            network = network or (light_networks_in_cache() or [OFFERED])[0]
        else:
            network = require_network_of(Path(weights))
        network = network_with_output(network, TASKS[dataset_summary(dataset.folder).task])
        self.listener.note(
            message("The weights belong to the network {network}, which is used.", network=network)
        )
        return {"network": network, "design": None}

    def _enlarging_as_run(self, plan: TrainingPlan) -> TrainingPlan:
        """Return a plan that starts from a run of the same network, enlarging images as it did."""
        if plan.design is not None or not plan.weights.startswith(RUN_PREFIX):
            return plan
        run = self.workspace.record(RecordKind.RUN, _run_in(plan.weights))
        found = None if run is None else network_of_run(self.workspace, run)
        if found is None or found.network != plan.network:
            return plan
        return plan.model_copy(update={"design": found.design})

    def _note_enlarging(self, plan: TrainingPlan) -> None:
        """Point out that images are enlarged for pretrained weights."""
        is_known = self.workspace.record(RecordKind.DATASET, plan.dataset) is not None
        if not is_known or not enlarges(plan):  # a plan may be for another workspace
            return
        summary = dataset_summary(self._imported_dataset(plan).folder)
        seen = enlarged_to(plan, summary.shape[:2])
        if seen is not None:
            self.listener.note(
                message(
                    "Images of {width}x{height} pixels are enlarged to {to_width}x{to_height} for "
                    "the pretrained weights.",
                    width=summary.width,
                    height=summary.height,
                    to_width=seen[1],
                    to_height=seen[0],
                )
            )

    def _network_of_run(self, weights: str) -> dict[str, object]:
        run = self.workspace.record(RecordKind.RUN, _run_in(weights))
        if run is None:
            raise StudioError('There is no run "{run}".', "", "weights", run=weights)
        found = network_of_run(self.workspace, run)
        self.listener.note(
            message(
                "The network is that of {run}, {network}.", run=run.name, network=found.network
            )
        )
        return {"network": found.network, "design": found.design}

    def _network(self, text: str, *, has_weights: bool) -> dict[str, object]:
        """Return network, design and perhaps weights; a model's file gives all of them."""
        path = user_path(text).absolute()
        if text not in ZOO and is_export(path):
            exported = read_export(path)
            return self._with_weights(path, exported.spec, exported.weights, has_weights)
        if text in ZOO or not is_model(path):
            choice = resolve(self.workspace, text)
            return {"network": choice.network, "design": choice.design}
        read = self.read_model(path)
        for note in read.notes:
            self.listener.note(note)
        return self._with_weights(path, read.spec, str(path), has_weights)

    def _with_weights(
        self, path: Path, spec: NetworkSpec, weights: str, has_weights: bool
    ) -> dict[str, object]:
        named = {"network": spec.name, "design": spec}
        if has_weights or not weights:
            reason = "are not used" if has_weights else "cannot be read by Keras"
            self.listener.note(
                message(
                    "{file} gives the layers; its weights {reason}.",
                    file=path.name,
                    reason=as_message(reason),
                )
            )
            return named
        self.listener.note(
            message(
                "{file} gives the layers and the weights that they start from; other weights: "
                "--weights.",
                file=path.name,
            )
        )
        return named | {"weights": weights}

    def _imported_dataset(self, plan: TrainingPlan) -> Record:
        """Return the dataset of a plan that depends on its images; waits until it is imported."""
        record = self.workspace.require(RecordKind.DATASET, plan.dataset)
        if is_importing(record):
            self.wait_for_import(Job(record))
        return record

    def _by_recipe(self, request: PlanRequest, plan: TrainingPlan) -> TrainingPlan:
        """Apply a recipe to the plan, except for fields that were given."""
        summary = dataset_summary(self._imported_dataset(plan).folder)
        spec = network_for(plan, summary.shape, len(summary.classes), task=TASKS[summary.task])
        kept = dict(request.fields)
        if request.augment not in ("", "off"):
            kept["augmentation"] = plan.augmentation.model_dump()
        return RECIPES[request.recipe].apply(plan, spec).changed(**kept)


def _asks_for_steps(request: PlanRequest, given: Fields, plan: TrainingPlan) -> bool:
    """Return True if something only makes sense for a head that is trained by gradient descent."""
    if trainer_of(plan).steps(plan, 1) or "head_solver" in given:
        return False
    if not given.keys().isdisjoint(without_effect(TrainingPlan, plan.model_dump())):
        return True
    if request.varies:
        return True
    return request.augment not in ("", "off") or given.get("freeze", ALL) != ALL


def _run_in(weights: str) -> str:
    """Return the id of the run in the name of weights, which may name a checkpoint."""
    return weights.removeprefix(RUN_PREFIX).partition("@")[0]
