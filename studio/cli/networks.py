"""`studio networks …`: which networks there are, and what each is."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from studio.cli.networks_files import CODE, CONVERT
from studio.cli.networks_inspect import INSPECT, engine, own_network
from studio.cli.verb import Session, Verb
from studio.cli.weights import WEIGHTS
from studio.engine.networks.library import saved
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.workspace import default_workspace


def _list(session: Session) -> object:
    session.output.table(
        ["name", "label", "year", "at least", "summary"],
        [
            [
                network.name,
                network.label,
                str(network.year),
                f"{network.smallest[1]}x{network.smallest[0]}",
                network.summary,
            ]
            for network in ZOO
        ],
    )
    own = _saved(session)
    if own:
        session.output.say("")
        session.output.table(
            ["saved", "images", "classes", "layers"],
            [
                [entry["name"], entry["input"], str(entry["classes"]), str(entry["layers"])]
                for entry in own
            ],
        )
    return [*(_card(network) for network in ZOO), *own]


def _saved(session: Session) -> list[dict[str, str]]:
    """The networks of the workspace; none where there is no workspace yet."""
    named = session.options.workspace
    if not (Path(named) if named else default_workspace()).is_dir():
        return []
    return [
        _own_card(network.name, network.spec) | {"id": network.id, "kind": "saved"}
        for network in saved(session.workspace)
    ]


def _card(network: ZooNetwork) -> dict[str, object]:
    published = network.published
    return {
        "name": network.name,
        "kind": "zoo",
        "label": network.label,
        "year": network.year,
        "paper": network.paper,
        "summary": network.summary,
        "smallest": list(network.smallest),
        "default_input": list(network.default_input),
        "channels": list(network.channels),
        "published": None
        if published is None
        else {
            "parameters": published.parameters,
            "at": list(published.at),
            "classes": published.classes,
        },
    }


def _configure_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME|FILE",
        help=f"one of: {', '.join(ZOO.names())}; a saved one, or a .json, .keras or .h5 file",
    )


def _show(session: Session) -> object:
    if session.options.name not in ZOO:
        return _show_own(session)
    network = ZOO[session.options.name]
    output = session.output
    output.say(f"{network.label} ({network.year}): {network.summary}")
    output.say(f"Paper: {network.paper}")
    height, width = network.smallest
    usual = "x".join(map(str, network.default_input))
    colors = " or ".join({1: "gray", 3: "color"}[channels] for channels in network.channels)
    output.say(f"Images: {width}x{height} and more, {colors}; made for {usual}")
    if network.published is not None:
        published = network.published
        size = "x".join(map(str, published.at))
        output.say(
            f"Weights: {published.parameters:,} as published, for {size} and "
            f"{published.classes:,} classes"
        )
    output.say(f"Look inside: studio networks inspect {network.name}")
    return _card(network)


def _show_own(session: Session) -> object:
    name = session.options.name
    with engine(session, "Reading the network") as host:
        # The host starts Keras only when a model is to be read.
        spec = own_network(session, name, host)
    output, layers = session.output, len(spec.nodes)
    output.say(f"{spec.name}: {layers:,} layers, for {spec.input} and {spec.classes:,} classes")
    for comment in spec.comments:
        output.say(f"Comment: {comment.text}")
    output.say(f"Look inside: studio networks inspect {shlex.quote(name)}")
    return _own_card(spec.name, spec)


def _own_card(name: str, spec: NetworkSpec) -> dict[str, str]:
    return {
        "name": name,
        "kind": "own",
        "input": str(spec.input),
        "classes": str(spec.classes),
        "layers": str(len(spec.nodes)),
    }


NETWORKS = Verb(
    "networks",
    "the networks that can be trained",
    verbs=(
        Verb("list", "list them", run=_list),
        Verb("show", "show the card of one", _configure_show, _show),
        INSPECT,
        CONVERT,
        CODE,
        WEIGHTS,
    ),
)
