"""`studio embed`: compute features of images at a layer of a model, and a map of them."""

from __future__ import annotations

from pathlib import Path

from studio.cli.following import completed, leave
from studio.cli.options import (
    DETACH,
    FORCE,
    FOREIGN_MODEL,
    NEWEST,
    foreign_model,
    given_options,
    plan_options,
    require_effect,
    target_file,
)
from studio.cli.verb import Session, argument, percent
from studio.engine.embeddings.embedding import (
    EMBEDDING_FILE,
    read_embedding,
    write_csv,
    write_embedding,
)
from studio.engine.embeddings.requests import EmbeddingPlan, request_embedding
from studio.engine.errors import StudioError
from studio.engine.files import writing
from studio.engine.inference.models import model_name
from studio.engine.jobs.job import Job
from studio.engine.workspace import RecordKind

ENDINGS = (".npz", ".csv")


run_options = (
    argument("name", metavar="RUN|FILE", help="run or model file"),
    argument("--dataset", required=True, metavar="N", help="name of the dataset"),
    NEWEST,
    plan_options(EmbeddingPlan),
    argument("--to", metavar="F.npz|F.csv", help="write features and map to a file"),
    FORCE,
    DETACH,
    FOREIGN_MODEL,
)


def run(session: Session) -> object:
    """Compute the map of a dataset, print its facts, and return its document."""
    options = session.options
    target = _target(session)
    if target is not None and options.detach:
        raise StudioError(
            "--to waits for the map, so it cannot be used with --detach.", "Leave one out."
        )
    dataset = session.workspace.find(RecordKind.DATASET, options.dataset)
    facts = foreign_model(options)
    plan = EmbeddingPlan.parse(
        {
            "preprocessing": facts.preprocessing or "",
            "class_names": facts.classes,
            "model": model_name(session.workspace, options.name),
            "dataset": dataset.id,
            "dataset_version": options.version,
            **given_options(options),
        }
    )
    require_effect(options, plan)
    job = request_embedding(session.queue, plan)
    if options.detach:
        return leave(session, job, f"The map of {dataset.name}")
    history = completed(session, job, f"Map of {dataset.name}")
    if target is not None:
        _write(job, target)
    _say(session, history.result, target)
    return {
        "name": job.record.name,
        **history.result,
        "path": None if target is None else str(target),
    }


def _target(session: Session) -> Path | None:
    if session.options.to is None:
        return None
    path = target_file(session, session.options.to, "to")
    if path.suffix.lower() not in ENDINGS:
        endings = " or ".join(ENDINGS)
        raise StudioError(f"--to takes a file that ends in {endings}; received {path.name}.")
    return path


def _write(job: Job, path: Path) -> None:
    # Imported here: they take NumPy, and the other verbs do without it.
    embedding = read_embedding(job.record.folder / EMBEDDING_FILE)
    write = write_csv if path.suffix.lower() == ".csv" else write_embedding
    with writing(path, "to"):
        write(path, embedding)


def _say(session: Session, result: dict[str, object], target: Path | None) -> None:
    output = session.output
    images, there = result["images"], result["images_there"]
    output.say(f"{images:,} of {there:,} images, {result['features']:,} features each")
    output.say(f"Layer: {result['layer']}")
    explained = result["explained"]
    if isinstance(explained, list) and explained:
        ratios = " and ".join(percent(share) for share in explained)
        output.say(f"The axes of the map explain {ratios} of the variance.")
    if target is not None:
        output.say(f"Written to {target}")
