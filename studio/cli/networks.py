"""`studio networks …`: which networks there are, and what each is."""

from __future__ import annotations

import shlex
from pathlib import Path

from studio.cli import networks_inspect
from studio.cli.options import FORCE, target_file
from studio.cli.verb import Session, Verb, argument
from studio.engine.errors import StudioError
from studio.engine.files import user_path, write_atomically, writing
from studio.engine.inference.requests import (
    expand,
    import_preset,
    write_model,
)
from studio.engine.networks.code import keras_code
from studio.engine.networks.library import saved
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.pretrained.store import preset_folder
from studio.engine.workspace import default_workspace

# `studio networks convert` and `code`: networks as files of other forms.

_FORMS = ".json (a description) or .keras (an untrained model)"


_expand_option = argument("--expand", action="store_true", help="write every layer of backbones")


_convert_options = (
    networks_inspect.network_options,
    argument("--to", metavar="FILE", help=f"{_FORMS} [the name of the network with .json]"),
    FORCE,
    _expand_option,
    argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the weights of a .keras file [0]"
    ),
)


_code_options = (
    networks_inspect.network_options,
    argument("--to", metavar="FILE", help="file to write [standard output]"),
    FORCE,
    _expand_option,
)


def _convert(session: Session) -> object:
    options = session.options
    target = target_file(session, options.to or f"{Path(options.name).stem}.json", "to")
    if target.suffix.lower() not in (".json", ".keras"):
        raise StudioError(
            f'A network is written as {_FORMS}; received "{target.name}".',
            "For its code: studio networks code NAME --to FILE.",
            "to",
        )
    if options.seed < 0:
        raise StudioError(f"--seed takes 0 and more; received {options.seed}.", where="seed")
    with networks_inspect.engine(session, "Converting the network") as host:
        spec = networks_inspect.named_network(session, host)
        if options.expand:
            spec = expand(host, spec).result()
        if target.suffix.lower() == ".keras":
            written = write_model(host, spec, target, options.seed).result()
            session.output.say(
                f"{written.path}: an untrained model of {written.parameters:,} weights"
            )
            return {"path": written.path, "name": spec.name, "parameters": written.parameters}
    with writing(target, "to"):
        write_atomically(target, spec.to_json())
    session.output.say(f"{target}: {spec.name}, {len(spec.nodes)} layers")
    return {"path": str(target), "name": spec.name, "layers": len(spec.nodes)}


def _code(session: Session) -> object:
    options = session.options
    target = target_file(session, options.to, "to") if options.to else None
    text = keras_code(_spec_for_code(session))
    if target is None:
        session.output.write(text.rstrip("\n"))
        return {"code": text}
    with writing(target, "to"):
        write_atomically(target, text)
    session.output.say(str(target))
    return {"path": str(target), "code": text}


def _spec_for_code(session: Session) -> NetworkSpec:
    with networks_inspect.engine(session, "Writing the code") as host:
        # The host starts Keras only when it is asked something.
        spec = networks_inspect.named_network(session, host)
        return expand(host, spec).result() if session.options.expand else spec


_preset_options = (
    argument(
        "preset",
        metavar="PRESET",
        help="folder of a RetinaNet or D-FINE preset, or its name, for example dfine_small_coco",
    ),
    argument("--to", metavar="FILE", help="file to write [the name of the preset with .zip]"),
    FORCE,
)


def _import_preset(session: Session) -> object:
    preset = session.options.preset
    folder = user_path(preset).absolute()
    target = target_file(session, session.options.to or f"{folder.name}.zip", "to")
    if target.suffix.lower() != ".zip":
        raise StudioError(
            f'A preset is written as .zip; received "{target.name}".', "End it in .zip.", "to"
        )
    with networks_inspect.engine(session, "Reading the preset") as host:
        here = folder if folder.is_dir() else preset_folder(preset)
        source = preset if here is None else str(here)
        written = import_preset(host, source, target).result()
    session.output.say(f"{target}: a detector of {written.parameters:,} weights")
    session.output.say(
        f"Train it: studio train --dataset NAME --network {shlex.quote(target.name)}"
    )
    return {"path": written.path, "parameters": written.parameters}


CONVERT = Verb(
    "convert",
    "convert a network or model file to .json (description) or .keras (untrained)",
    _convert_options,
    _convert,
)
IMPORT = Verb(
    "import",
    "convert a detector of KerasHub to a network with pretrained weights (extra hub)",
    _preset_options,
    _import_preset,
)
CODE = Verb("code", "write a network as plain Keras code", _code_options, _code)


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
    """Return the networks of the workspace; none if there is no workspace yet."""
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
        "published": None
        if published is None
        else {
            "parameters": published.parameters,
            "at": list(published.at),
            "classes": published.classes,
        },
    }


_show_options = argument(
    "name",
    metavar="NAME|FILE",
    help="built-in or saved network (studio networks list), or a .json, .keras or .h5 file",
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
    output.say(f"Images: {width}x{height} and more; made for {usual}")
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
    with networks_inspect.engine(session, "Reading the network") as host:
        # The host starts Keras only when a model is to be read.
        spec = networks_inspect.own_network(session, name, host)
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


VERBS = (
    Verb("list", "list all networks", run=_list),
    Verb("show", "show the details of a network", _show_options, _show),
    networks_inspect.INSPECT,
    CONVERT,
    IMPORT,
    CODE,
)
