"""A real `sshd` on 127.0.0.1 that plays another machine: another home, another folder of locks."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
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
class SshMachine:
    """The server, and the home folder that its users have."""

    server: subprocess.Popen[bytes]
    home: Path

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
def ssh_machine(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[SshMachine]:
    """Start the server, and let ssh of this process and its children reach it as `HOST`."""
    needs_sshd()
    home = folder / "home there"
    home.mkdir(parents=True)
    locks = folder / "locks there"
    locks.mkdir()
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
        f"Host {HOST}\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {folder}/user_key\n"
        f"  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known_hosts\n"
        "  StrictHostKeyChecking no\n  LogLevel ERROR\n  ControlMaster no\n"
    )
    patch.setenv(ssh.CONFIG, str(folder / "ssh_config"))
    patch.setenv(host.VARIABLE, str(folder / "machines.json"))
    if sys.platform != "win32" and os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # OpenSSH of Debian requires it
    server = subprocess.Popen([_SSHD, "-D", "-e", "-f", str(folder / "sshd_config")])
    machine = SshMachine(server, home)
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
