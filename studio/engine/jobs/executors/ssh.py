"""The connection to a machine by the system's `ssh`, with the user's own keys, hosts and agent.

No password is asked for or stored: where ssh would ask, the error says so. One connection is
shared (ControlMaster) where the user's configuration has none and the system can.
"""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

import platformdirs

from studio.engine.errors import StudioError
from studio.engine.jobs.executors.frames import BrokenFrameError, read_frame, write_frame
from studio.engine.jobs.executors.host import Machine, checked_host
from studio.engine.messages import message
from studio.engine.progress import Progress

CONFIG: Final = "STUDIO_SSH_CONFIG"
"""Environment variable with the path of another configuration file for ssh."""
CONNECT_SECONDS: Final = 15
_OPTIONS: Final = (
    *("-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_SECONDS}"),
    *("-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"),
)
_CHECK_SECONDS: Final = 0.2
"""Time between two checks whether a command was canceled."""
_REFUSED: Final = 255
"""Exit code of ssh itself; others are those of the program there."""


class ConnectionLostError(StudioError):
    """The connection to a machine could not be made, or broke."""


def ssh_words(host: str) -> list[str]:
    """Return the command line of ssh up to the command that runs there."""
    config = os.environ.get(CONFIG)
    words = ["ssh", *(["-F", config] if config else []), *_OPTIONS, *_shared(host, config)]
    return [*words, "--", checked_host(host)]


@functools.cache
def _shared(host: str, config: str | None) -> tuple[str, ...]:
    """Return the options with which all our connections to a host become one."""
    if sys.platform == "win32":
        return ()  # its ssh has no shared connections
    words = ["ssh", *(["-F", config] if config else []), "-G", "--", checked_host(host)]
    asked = _run(words, b"")
    if "controlmaster false" not in asked.stdout.decode("utf-8", "replace"):
        return ()  # the user's own way
    folder = platformdirs.user_cache_path("Studio") / "ssh"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / "%C"
    # A socket's path has at most 104 bytes, of which the name takes 40, and ssh adds some.
    if len(os.fsencode(path)) + 40 + 18 > 104:
        return ()
    return ("-o", "ControlMaster=auto", "-o", f"ControlPath={path}", "-o", "ControlPersist=60")


def run_there(
    host: str,
    script: str,
    data: bytes = b"",
    timeout: float = 1800,
    progress: Progress | None = None,
) -> str:
    """Run a script of the shell on a machine; return its output.

    Args:
        host: Name for ssh.
        script: The script.
        data: Its standard input.
        timeout: Seconds before it is ended.
        progress: Ends it when it is canceled.

    Raises:
        Cancelled: It was canceled.
        ConnectionLostError: The machine cannot be reached.
        StudioError: The script failed.
    """
    ended = _run([*ssh_words(host), script], data, timeout, progress)
    errors = ended.stderr.decode("utf-8", "replace").strip()
    if ended.returncode == _REFUSED:
        raise unreachable(host, errors)
    if ended.returncode:
        raise StudioError(
            "A command on {host} failed: {reason}",
            "",
            "host",
            host=host,
            reason=errors[-400:] or message("exit code {code}", code=ended.returncode),
        )
    return ended.stdout.decode("utf-8", "replace")


def _run(
    words: Sequence[str], data: bytes, timeout: float = 60, progress: Progress | None = None
) -> subprocess.CompletedProcess[bytes]:
    # Not a pipe for errors: the process of a shared connection keeps it open. Nor for the input:
    # while it is written, nothing could be canceled.
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as source:
        source.write(data)
        source.seek(0)
        try:
            process = subprocess.Popen(words, stdin=source, stdout=subprocess.PIPE, stderr=errors)
        except FileNotFoundError as error:
            raise _no_ssh() from error
        try:
            with process, _killed_on_error(process):
                output = _output(process, timeout, progress)
        except subprocess.TimeoutExpired as error:
            raise ConnectionLostError(
                "The machine {host} did not answer for {seconds:.0f} seconds.",
                "Check the network, then try again.",
                "host",
                host=words[-2],
                seconds=timeout,
            ) from error
        errors.seek(0)
        return subprocess.CompletedProcess(words, process.returncode, output, errors.read(20_000))


@contextlib.contextmanager
def _killed_on_error(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process early if waiting for it fails."""
    try:
        yield
    except BaseException:
        process.kill()
        raise


def _output(process: subprocess.Popen[bytes], timeout: float, progress: Progress | None) -> bytes:
    """Wait for the end of a process and return its output."""
    end = time.monotonic() + timeout
    while True:
        if progress is not None:
            progress.check()
        left = end - time.monotonic()
        try:
            return process.communicate(timeout=min(left, _CHECK_SECONDS))[0]
        except subprocess.TimeoutExpired:
            if left <= _CHECK_SECONDS:
                raise


def _no_ssh() -> StudioError:
    return StudioError(
        "The program ssh is not installed.",
        "Install the OpenSSH client; on Windows it is an optional part of the system.",
        "host",
    )


def unreachable(host: str, errors: str) -> ConnectionLostError:
    """Return the error for what ssh said.

    Args:
        host: Name for ssh.
        errors: Its standard error.
    """
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    reason = lines[-1] if lines else message("ssh ended without a message")
    hint = "Check the name and the network."
    if "Permission denied" in errors or "authentication" in errors.lower():
        hint = message(
            "ssh would ask for a password or code, and Studio stores none. Set up a key "
            "(ssh-copy-id {host}), or log in once in a terminal: ssh {host}",
            host=host,
        )
    elif "Host key verification failed" in errors:
        hint = message(
            "Log in once in a terminal and compare the key of the machine: ssh {host}", host=host
        )
    return ConnectionLostError(
        "The machine {host} cannot be reached: {reason}", hint, "host", host=host, reason=reason
    )


class AgentConnection:
    """A connection to the Studio on a machine; ends with `with`.

    Args:
        machine: The machine.
        code: Folder of the program there, see `setup.bring_program`.

    Raises:
        ConnectionLostError: It cannot be reached.
    """

    def __init__(self, machine: Machine, code: str) -> None:
        self._host = machine.host
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        script = agent_script(machine, code)
        try:
            self._process = subprocess.Popen(
                [*ssh_words(machine.host), script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=sys.platform != "win32",  # Ctrl+C is not for it
            )
        except FileNotFoundError as error:
            self._errors.close()
            raise _no_ssh() from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; jobs there continue."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was written to a connection that is gone
        self._process.terminate()
        self._process.wait()
        self._errors.close()

    def ask(
        self, method: str, arguments: Mapping[str, object], body: bytes = b""
    ) -> tuple[Any, bytes]:
        """Call a method of the agent.

        Args:
            method: Its name.
            arguments: Its arguments: plain data.
            body: Bytes that it takes.

        Returns:
            Its result, and bytes.

        Raises:
            ConnectionLostError: The connection broke.
            StudioError: The agent says that something is wrong there.
        """
        reader, writer = self._process.stdout, self._process.stdin
        if reader is None or writer is None:
            raise TypeError("the process was started without pipes")
        try:
            write_frame(writer, {"method": method, "arguments": dict(arguments)}, body)
            head, received = read_frame(reader)
        except (OSError, BrokenFrameError) as error:
            raise self._lost(error) from error
        if "error" in head:
            raise StudioError(
                "{host} reports: {reason}",
                str(head.get("hint", "")),
                "host",
                host=self._host,
                reason=str(head["error"]),
            )
        return head.get("result"), received

    def _lost(self, error: Exception) -> ConnectionLostError:
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(timeout=2)  # it has closed its output, so it is ending
        self._process.terminate()
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read(20_000).decode("utf-8", "replace").strip()
        if code is None or code <= 0 or code == _REFUSED:
            return unreachable(self._host, said or str(error))
        return ConnectionLostError(
            "Studio did not start on {host}: {reason}",
            message("Install it there again: studio machines add {host}", host=self._host),
            "host",
            host=self._host,
            reason=said[-400:] or message("exit code {code}", code=code),
        )


def agent_script(machine: Machine, code: str) -> str:
    """Return the command that starts the agent on a machine.

    Args:
        machine: The machine.
        code: Folder of the program there.
    """
    return (
        f"cd / && STUDIO_AGENT_FOLDER={quoted(machine.folder)} PYTHONPATH={quoted(code)} "
        f"PYTHONUNBUFFERED=1 PYTHONUTF8=1 exec {quoted(machine.python)} -P -m studio agent"
    )


def quoted(text: str) -> str:
    """Return a text as one word of the shell there."""
    return "'" + text.replace("'", "'\\''") + "'"
