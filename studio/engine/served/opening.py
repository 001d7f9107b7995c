"""Opening a workspace on a server: its copy here, and what works on it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.served.connection import connection_to
from studio.engine.served.credentials import store_token, stored_token
from studio.engine.served.engine import ServedEngine
from studio.engine.served.facts import mirror_folder, read_facts, write_facts
from studio.engine.served.follower import ServerFollower
from studio.engine.served.mirror import facts_of
from studio.engine.served.queue import ServedQueue
from studio.engine.served.workspace import MirroredWorkspace


class ServedParts(NamedTuple):
    """A workspace on a server and what works on it.

    Attributes:
        workspace: The workspace.
        queue: Its queue.
        engine: Predicts with its models.
        follower: Keeps the copy in step.
    """

    workspace: MirroredWorkspace
    queue: ServedQueue
    engine: ServedEngine
    follower: ServerFollower


def open_served(root: Path, idle_seconds: float = math.inf) -> ServedParts:
    """Open the copy of a workspace on a server; `ServerFollower.start` brings it up to date.

    Args:
        root: Folder of the copy.
        idle_seconds: Time without requests after which the engine host of this computer ends.

    Raises:
        StudioError: The folder is no such copy or damaged, or there is no token for the server.
    """
    root = user_path(root).absolute()
    facts = read_facts(root)
    token = "" if facts is None else stored_token(facts.url)
    if facts is None or not token:
        raise StudioError(
            "There is no token for {name}.",
            "Open the served workspace again, with its address and a token.",
            "token",
            name=root if facts is None else facts.url,
        )
    server = connection_to(facts.url, token, insecure=facts.insecure)
    follower = ServerFollower(server, root, facts)
    workspace = MirroredWorkspace(root, server, lambda: follower.status.facts)
    engine = ServedEngine(follower.mirror, idle_seconds)
    return ServedParts(workspace, ServedQueue(workspace, follower), engine, follower)


def prepare_served(url: str, token: str, *, insecure: bool = False) -> Path:
    """Connect to a server, store the token, and return the folder for the copy of its workspace.

    Args:
        url: Address of the server.
        token: The token.
        insecure: Send the token also over http:// to another computer.

    Raises:
        StudioError: The server does not answer, refuses the token or does not fit this version,
            or the connection would not be encrypted.
    """
    server = connection_to(url, token, insecure=insecure)
    facts = facts_of(server, insecure=insecure)
    store_token(server.url, server.token)
    root = mirror_folder(facts)
    write_facts(root, facts)
    return root
