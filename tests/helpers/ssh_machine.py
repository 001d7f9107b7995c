"""A real `sshd` on 127.0.0.1 that plays another machine: another home, another folder of locks.

Tests that run as root may log in there as a second user, whom they create for the time of a test.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from helpers.waiting import wait_until
from studio.engine.jobs import machine_folder
from studio.engine.jobs.executors import host, ssh

HOST = "gpu-box"
_SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


def needs_sshd() -> None:
    """Skip where there is no server, or no client."""
    if not Path(_SSHD).exists() or not shutil.which("ssh"):
        pytest.skip("needs OpenSSH's sshd")


@dataclass(frozen=True, slots=True)
class Account:
    """Who logs in, and the Python of that user.

    Attributes:
        name: Name of the user; empty for the user of the tests.
        folder: Folder that this user can read.
        python: A Python that this user can start, with the packages of this one.
    """

    name: str
    folder: Path
    python: Path

    def give(self, path: Path) -> None:
        """Make a file or folder belong to the user."""
        if self.name:
            shutil.chown(path, self.name, self.name)


OWN, SECOND = "own account", "second account"


@contextlib.contextmanager
def account_of(kind: str, folder: Path) -> Iterator[Account]:
    """Provide an account; skips where no second one can be created.

    Args:
        kind: `OWN` or `SECOND`.
        folder: Folder of the test.
    """
    needs_sshd()
    if kind == OWN:
        yield Account("", folder, Path(sys.executable))
        return
    if sys.platform == "win32" or os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("only root can create a second account")
    name = f"studio-{secrets.token_hex(4)}"
    # Not below the folder of the test, which only its user can read.
    with tempfile.TemporaryDirectory(prefix="studio-ssh-") as own:
        # "*" is no password, and unlike "!" it does not lock the account.
        words = ["--no-create-home", "--home-dir", f"{own}/home there", "--shell", "/bin/sh"]
        subprocess.run(["useradd", "--user-group", "--password", "*", *words, name], check=True)
        try:
            Path(own).chmod(0o755)
            yield Account(name, Path(own), _python_for(name, Path(own)))
        finally:
            subprocess.run(["userdel", "--force", name], check=True)


def _python_for(user: str, folder: Path) -> Path:
    """Make an environment with our packages that a user can start; skips if there is none."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for number, base in enumerate((sys.executable, f"/usr/bin/python{version}")):
        environment = folder / f"environment{number}"
        words = [base, "-m", "venv", "--without-pip", str(environment)]
        if not Path(base).exists() or subprocess.run(words, check=False).returncode:
            continue
        (packages,) = environment.glob("lib/python*/site-packages")
        (packages / "ours.pth").write_text(
            "\n".join(path for path in sys.path if path.endswith("site-packages"))
        )
        python = environment / "bin" / "python"
        words = ["runuser", "-u", user, "--", str(python), "-c", "import h5py, keras, pydantic"]
        if not subprocess.run(words, check=False, capture_output=True, cwd="/").returncode:
            return python
    pytest.skip("the second user can start no Python with the packages")


@dataclass(frozen=True, slots=True)
class SshMachine:
    """The server, and the home folder that its users have."""

    server: subprocess.Popen[bytes]
    home: Path
    python: Path

    @property
    def folder(self) -> Path:
        """The folder of Studio there."""
        return self.home / ".local" / "share" / "studio-machine"

    def cut(self) -> None:
        """End all connections, as a network that fails does."""
        for process in psutil.Process(self.server.pid).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    def workers(self) -> list[psutil.Process]:
        """The workers there."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                words = process.cmdline()
                if "worker" in words and any(str(self.home) in word for word in words):
                    found.append(process)
        return found


@contextlib.contextmanager
def ssh_machine(folder: Path, patch: pytest.MonkeyPatch, kind: str = OWN) -> Iterator[SshMachine]:
    """Start the server, and let ssh of this process and its children reach it as `HOST`.

    Args:
        folder: Folder of the test.
        patch: Sets the variables for ssh.
        kind: Account that logs in: `OWN` or `SECOND`.
    """
    with account_of(kind, folder) as account, _server(account, patch) as machine:
        yield machine


@contextlib.contextmanager
def _server(account: Account, patch: pytest.MonkeyPatch) -> Iterator[SshMachine]:
    folder = account.folder
    home = folder / "home there"
    home.mkdir(parents=True)
    locks = folder / "locks there"
    locks.mkdir()
    account.give(home)
    account.give(locks)
    for name in ("server_key", "user_key"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(words, check=True)
    port = _free_port()
    entry = folder / "entry.sh"
    entry.write_text(
        f'#!/bin/sh\nexport HOME="{home}" {machine_folder.VARIABLE}="{locks}"\n'
        "export STUDIO_JOB_PRIORITY=normal TF_CPP_MIN_LOG_LEVEL=3 OMP_NUM_THREADS=1\n"
        "export OPENBLAS_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1\n"
        'unset XDG_CACHE_HOME\nexec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n'
    )
    entry.chmod(0o755)
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/server_key\n"
        f"AuthorizedKeysFile {folder}/user_key.pub\nStrictModes no\nUsePAM no\n"
        f'PasswordAuthentication no\nPermitRootLogin yes\nPidFile none\nForceCommand "{entry}"\n'
    )
    (folder / "ssh_config").write_text(
        f"Host {HOST}\n  HostName 127.0.0.1\n  Port {port}\n"
        f"  User {account.name or getpass.getuser()}\n"
        f"  IdentityFile {folder}/user_key\n"
        f"  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known_hosts\n"
        "  StrictHostKeyChecking no\n  LogLevel ERROR\n  ControlMaster no\n"
    )
    patch.setenv(ssh.CONFIG, str(folder / "ssh_config"))
    patch.setenv(host.VARIABLE, str(folder / "machines.json"))
    if sys.platform != "win32" and os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # OpenSSH of Debian requires it
    server = subprocess.Popen([_SSHD, "-D", "-e", "-f", str(folder / "sshd_config")])
    machine = SshMachine(server, home, account.python)
    try:
        wait_until(lambda: _answers(port), "sshd answers")
        yield machine
    finally:
        machine.cut()
        for worker in machine.workers():
            worker.kill()
        server.terminate()
        server.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
