"""Exports the model of a run to files that work without Studio, and certifies each."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from studio import __version__
from studio.engine.assets import asset
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.compute.train import NETWORK_FILE
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import Certificate, ExportedFile, result_of
from studio.engine.exporting.example import write_example
from studio.engine.exporting.formats import FORMATS, Variant
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.readme import readme
from studio.engine.exporting.requests import MEASURED, place_export
from studio.engine.files import (
    placed,
    slug,
    staging_folder,
    write_atomically,
)
from studio.engine.inference.models import CARD, CONVERSION, ImageCard, ModelCard, SelfTest
from studio.engine.inference.unlike.reference import Reference, read_reference
from studio.engine.jobs.job import Job, JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import joined, message
from studio.engine.networks.library import read_network
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks import TASKS
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.task import Task
from studio.engine.training.artifacts import read_calibration
from studio.engine.training.backends import installed_backend
from studio.engine.training.passports import passport_of_run
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.precision import FULL
from studio.engine.training.trained_models import (
    TrainingData,
    missing_dataset,
    model_file,
    run_with_model,
    training_data,
)
from studio.engine.workspace import Record

if TYPE_CHECKING:
    from studio.engine.compute.certify import ReferenceOutputs
    from studio.engine.compute.exporters.source import ExportSource


CERTIFICATE_FILE = "certificate.json"
README = "README.md"
NOT_CERTIFIED = "not-certified"


def export(context: JobContext) -> State:
    """Run an export job. Each folder appears complete, with its certificate, or not at all.

    The result is `result_of` all files, also if the job then fails because a saved file is not
    certified: the file is there, and marked in its name.

    Raises:
        StudioError: The model cannot be read, the folder cannot be written, a format cannot hold
            the network, or a file is not within the tolerance.
        Cancelled: The user cancelled.
    """
    plan = context.job.plan(ExportPlan)
    run = run_with_model(context.workspace, plan.run)
    data = training_data(context.workspace, run)
    store = Store.open(data.folder, data.version)
    # A .keras file is the same from any backend, and all formats can be written by TensorFlow.
    prepare_backend(installed_backend(), deterministic=False, seed=0, threads=None)

    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.build import in_full_precision  # noqa: PLC0415
    from studio.engine.compute.certify import reference_outputs  # noqa: PLC0415
    from studio.engine.compute.exporters.source import ExportSource  # noqa: PLC0415
    from studio.engine.compute.model_files import load_model  # noqa: PLC0415

    requested = plan.requested()
    context.advance(0, 1, "Reading the model")
    model = in_full_precision(load_model(model_file(run)))
    job = Job.read(run)
    trained = job.current_plan(TrainingPlan)
    decodes = plan.decodes and store.task.capabilities.decoding
    source = ExportSource(model, store, _spec_of(run), trained, run.name, decodes)
    parent = Path(plan.to) if plan.to else context.folder / MEASURED
    with reference_outputs(model, store, read_calibration(run.folder), context) as reference:
        work = _Work(context, plan, run, source, reference, parent, data)
        files = [work.file(variant, at, len(requested)) for at, variant in enumerate(requested)]
    context.advance(len(requested), len(requested), "Done")
    context.result(result_of(files))
    _require_success(plan, files)
    return State.COMPLETED


def _spec_of(run: Record) -> NetworkSpec | None:
    path = run.folder / NETWORK_FILE
    return read_network(path) if path.is_file() else None


def _require_success(plan: ExportPlan, files: list[ExportedFile]) -> None:
    """Fail the job if nothing was written, or if a saved file is not certified."""
    written = [(each, each.certificate) for each in files if each.certificate is not None]
    if not written:
        problems = tuple(dict.fromkeys(each.problem for each in files))
        raise StudioError(joined(problems, "; "), where="format")
    short = [(each, made) for each, made in written if not made.certified]
    if plan.to and short:
        details = joined(
            [
                message(
                    "{format} {precision}: {shortcomings}",
                    format=each.format,
                    precision=each.precision,
                    shortcomings=joined(made.shortcomings),
                )
                for each, made in short
            ],
            "; ",
        )
        raise StudioError(
            "Not certified: {reasons}",
            message(
                "The files are in {files}, and marked. Choose another precision, or a "
                "larger tolerance.",
                files=", ".join((each.path for each, _ in short)),
            ),
            "tolerance",
            reasons=details,
        )


def _require_scripts(task: Task, variant: Variant, run: str) -> None:
    """Refuse to export a model whose predictions `predict.py` does not make.

    Raises:
        StudioError: A part of the predictions is missing in the script.
    """
    is_model = not variant.format.needs_dataset
    if is_model and not task.predictor.in_scripts:
        raise StudioError(
            "Exported files predict no maps of numbers, but “{run}” does.",
            "Use studio predict or studio serve, or export the training script.",
            "format",
            run=run,
        )


@dataclass(frozen=True)
class _Work:
    """One export job."""

    context: JobContext
    plan: ExportPlan
    run: Record
    source: ExportSource
    reference: ReferenceOutputs
    parent: Path
    data: TrainingData

    @property
    def source_dataset(self) -> str:
        """Id of the dataset that the run was trained on."""
        return Job(self.run).plan(TrainingPlan).dataset

    @property
    def _output(self) -> Output:
        """Output of the network."""
        return self.reference.store.task.output_of(self.source.model.output_shape)

    def file(self, variant: Variant, at: int, total: int) -> ExportedFile:
        """Write and certify one variant; a problem of one of several is part of the result."""
        self.context.check()
        self.context.advance(2 * at, 2 * total, message("Writing {format}", format=variant.label))
        try:
            with staging_folder(self.parent) as staging:
                certificate = self._write(variant, staging, 2 * at + 1, 2 * total)
                path = self._output_path(staging, variant, certificate)
        except StudioError as error:
            if total == 1:
                raise
            return ExportedFile(
                format=variant.format.name, precision=variant.precision, problem=str(error)
            )
        return ExportedFile(
            format=variant.format.name,
            precision=variant.precision,
            path=str(path),
            certificate=certificate,
        )

    def _write(self, variant: Variant, folder: Path, done: int, total: int) -> Certificate:
        # Keras is imported by these.
        from studio.engine.compute.certify import certify  # noqa: PLC0415
        from studio.engine.compute.exporters import describer_of, writer_of  # noqa: PLC0415

        variant.require_packages()
        _require_scripts(self.reference.store.task, variant, self.run.name)
        if variant.format.needs_dataset and not self.data.is_complete:
            raise missing_dataset(self.source_dataset, self.run.name)
        chosen, store = variant.format, self.reference.store
        calibration, conversion = self.reference.calibration, store.task.predictor.conversion
        writer_of(chosen.name)(self.source, folder / chosen.file, variant.precision)
        card = ModelCard(
            made_by=f"Studio {__version__}",
            run=self.run.name,
            model=chosen.file,
            format=chosen.name,
            precision=variant.precision,
            input_type=self._input_type(variant),
            task=store.task.name,
            answers=store.task.answers,
            output=self._output.name,
            decoded=self.source.decodes and chosen.holds_decoding,
            conversion=conversion is not None,
            classes=tuple(store.classes),
            units=tuple(store.units),
            calibration=store.task.predictor.completed(calibration, len(store.classes)),
            colors=store.colors,
            scales=self.reference.scales,
            image=ImageCard.of(store.recipe),
            reference=self._reference_card(),
        )
        _write_card(folder, card)
        _copy_scripts(folder, card, conversion)
        if self.source.spec is not None:
            write_atomically(folder / NETWORK_FILE, self.source.spec.to_json())
        image = np.asarray(store.images[int(self.reference.rows[0])])
        example = write_example(folder, image)
        self.context.advance(done, total, message("Checking {format}", format=variant.label))
        measured, scores = certify(folder, card, variant, self.reference, self.context)
        certificate = measured.judged(self.plan.tolerance).model_copy(
            update={"passport": passport_of_run(self.run)}
        )
        test = SelfTest(image=example, scores=tuple(map(float, scores)))
        card = card.model_copy(update={"self_test": test})
        _write_card(folder, card)
        text = certificate.model_dump_json(indent=2) + "\n"
        write_atomically(folder / CERTIFICATE_FILE, text)
        counts = dataset_summary(self.data.folder, self.data.version).count
        write_atomically(folder / README, readme(card, certificate, variant, counts))
        if (describe := describer_of(chosen.name)) is not None:
            describe(folder, card, image)
        return certificate

    def _input_type(self, variant: Variant) -> str:
        is_quantized = self.source.takes_bytes
        return variant.format.input_type(variant.precision) if is_quantized else FULL

    def _reference_card(self) -> Reference | None:
        """Return what images are compared with; exported files do not show their features."""
        reference = read_reference(self.run.folder)
        return None if reference is None else reference.without_features()

    def _output_path(self, staging: Path, variant: Variant, certificate: Certificate) -> Path:
        """Make the folder readable and move it to its name, or the next free one."""
        staging.chmod(0o755)
        name = f"{slug(self.run.name, 'model')}-{variant.ending}"
        if not certificate.certified:
            name += f"-{NOT_CERTIFIED}"
        if not self.plan.to:  # measured only; `save_measured` packs it
            return placed(staging, self.parent, name)
        return place_export(staging, self.parent, name, variant.format.name, self.plan.archive)


def _copy_scripts(folder: Path, card: ModelCard, conversion: Path | None) -> None:
    """Copy the scripts that predict with the model of a folder.

    Args:
        folder: Folder of the export.
        card: What the model is.
        conversion: Module that makes predictions of its outputs; None if they are predictions.
    """
    scripts = ["predict.py", "pixels.py", *TASKS[card.task].family(card.output).output.scripts]
    if card.reference is not None:
        scripts.append("unlike.py")
    for script in scripts:
        shutil.copyfile(asset(f"export/{script}"), folder / script)
    if conversion is not None:
        shutil.copyfile(conversion, folder / CONVERSION)
    shutil.copyfile(FORMATS[card.format].script, folder / "runtime.py")


def _write_card(folder: Path, card: ModelCard) -> None:
    text = json.dumps(card.model_dump(mode="json"), indent=2, ensure_ascii=False)
    write_atomically(folder / CARD, text + "\n")
