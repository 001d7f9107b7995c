"""Packages that a plan needs besides Studio: those of its loss, metrics, augmentation, network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import metadata

from studio.engine.errors import StudioError
from studio.engine.installation import package_command
from studio.engine.messages import Message, message
from studio.engine.plug_ins import package_of
from studio.engine.training.plan import TrainingPlan


def with_packages(plan: TrainingPlan) -> TrainingPlan:
    """Return a plan that names the packages of its objects, with their present versions."""
    return plan.model_copy(update={"packages": dict(_packages(plan))})


def _packages(plan: TrainingPlan) -> Iterator[tuple[str, str]]:
    for group, name in (
        ("studio.losses", plan.loss),
        ("studio.metrics", plan.metrics),
        ("studio.augmentations", plan.augmentation.added),
        ("studio.networks", plan.network_name),
    ):
        found = package_of(group, name)
        if found is not None:
            yield found


def package_text(packages: Mapping[str, str]) -> str:
    """Return packages with their versions, such as `scanner 1.0, glow 2.1`."""
    return ", ".join(f"{name} {version}" for name, version in packages.items())


def require_packages(plan: TrainingPlan) -> None:
    """Check that the packages of a plan are installed.

    Raises:
        StudioError: Some are not.
    """
    absent = _absent(plan)
    if absent:
        raise StudioError(
            "The run needs packages that are not installed: {packages}.",
            install_hint(plan),
            packages=package_text(absent),
        )


def install_hint(plan: TrainingPlan) -> str:
    """Return how to install the packages of a plan that are not there; empty if all are."""
    absent = _absent(plan)
    if not absent:
        return ""
    command = package_command(*(f"{name}=={version}" for name, version in absent.items()))
    return message("Install them: {command}", command=command)


def _absent(plan: TrainingPlan) -> dict[str, str]:
    return {name: of for name, of in plan.packages.items() if not _installed_version(name)}


def changed_packages(plan: TrainingPlan) -> Message | None:
    """Return a warning that packages have other versions than those of a plan; None if not."""
    now = {name: _installed_version(name) for name in plan.packages}
    changed = {name: version for name, version in now.items() if version != plan.packages[name]}
    if not changed:
        return None
    return message(
        "The run was requested with {recorded}; installed: {installed}. If it resumes, results "
        "may differ.",
        recorded=package_text({name: plan.packages[name] for name in changed}),
        installed=package_text(changed),
    )


def _installed_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
