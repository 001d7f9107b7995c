"""The backends of Keras, and which of them are installed.

This module imports none of them.
"""

from __future__ import annotations

import importlib.util
import platform
from dataclasses import dataclass

from studio.engine.errors import Problem, StudioError
from studio.engine.installation import has_packages, install_command
from studio.engine.messages import joined, message
from studio.engine.registry import Registry


@dataclass(frozen=True, slots=True)
class Backend:
    """A library that Keras can compute with.

    Attributes:
        name: Name in `KERAS_BACKEND`, and of the package.
        label: Shown name.
    """

    name: str
    label: str

    @property
    def install(self) -> str:
        """Command that installs the package: the extra of its name."""
        return install_command(self.name)

    @property
    def advice(self) -> str:
        """Advice how to install the package, or that there is none for this Python."""
        if has_packages(self.name):
            return message("Install it with: {command}", command=self.install)
        return message(
            "{backend} has no package for Python {version} on this system.",
            backend=self.label,
            version=".".join(platform.python_version_tuple()[:2]),
        )


BACKENDS: Registry[Backend] = Registry(
    "backend",
    [
        Backend("tensorflow", "TensorFlow"),
        Backend("jax", "JAX"),
        Backend("torch", "PyTorch"),
    ],
)


def is_installed(name: str) -> bool:
    """Return True if a package can be imported."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):  # of one that is blocked, or half removed
        return False


def installed_backends() -> list[Backend]:
    """Return the installed backends, the preferred one first."""
    return [backend for backend in BACKENDS if is_installed(backend.name)]


def default_backend() -> str:
    """Return the name of the first installed backend; TensorFlow if there is no backend."""
    return next((backend.name for backend in installed_backends()), "tensorflow")


def installed_backend(preferred: str = "tensorflow") -> str:
    """Return the backend for work that every one can do, such as running a finished model.

    Args:
        preferred: Name of the one to take if it is installed.

    Raises:
        StudioError: There is no such backend, or none is installed.
    """
    names = [backend.name for backend in installed_backends()]
    if BACKENDS[preferred].name in names:
        return preferred
    missing = missing_backend()
    if missing is not None:
        raise missing
    return names[0]


def missing_backend() -> StudioError | None:
    """Return the error that no backend is installed, with the commands that install one."""
    if installed_backends():
        return None
    offered = [each for each in BACKENDS if has_packages(each.name)]
    lines = "; ".join(f"{backend.install} ({backend.label})" for backend in offered)
    parts = [each.advice for each in BACKENDS if each not in offered]
    parts.append(message("Install one of them: {commands}.", commands=lines))
    return StudioError(
        "No backend of Keras is installed: Studio cannot train or predict.",
        joined(parts),
        "backend",
    )


def backend_problems(name: str) -> list[Problem]:
    """Return the problem that a backend is not installed, with the backends that are.

    Args:
        name: A name of `BACKENDS`.
    """
    if is_installed(name):
        return []
    none = missing_backend()
    if none is not None:
        return [Problem("backend", none.message, none.hint)]
    backend, others = BACKENDS[name], installed_backends()
    chosen = message(
        "{backend} is installed: choose it (--backend {name}).",
        backend=others[0].label,
        name=others[0].name,
    )
    text = message("{backend} is not installed.", backend=backend.label)
    return [Problem("backend", text, joined((chosen, backend.advice)))]
