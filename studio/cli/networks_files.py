"""`studio networks convert` and `code`: networks as files of other forms."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.networks_inspect import add_network_options, engine, named_network
from studio.cli.targets import add_force_option, target_file, writing
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.files import write_atomically
from studio.engine.inference.questions import expand, write_model
from studio.engine.networks.code import keras_code
from studio.engine.networks.library import MODEL_FILES
from studio.engine.networks.spec import NetworkSpec

_FORMS = ".json (a description) or .keras (an untrained model)"


def _configure_convert(parser: argparse.ArgumentParser) -> None:
    add_network_options(parser)
    parser.add_argument(
        "--to", metavar="FILE", help=f"{_FORMS} [the name of the network with .json]"
    )
    add_force_option(parser)
    _add_expand(parser)
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the weights of a .keras file [0]"
    )


def _configure_code(parser: argparse.ArgumentParser) -> None:
    add_network_options(parser)
    parser.add_argument("--to", metavar="FILE", help="write it there [the terminal]")
    add_force_option(parser)
    _add_expand(parser)


def _add_expand(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--expand", action="store_true", help="write backbones down layer by layer"
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
    with engine(session, "Converting the network") as host:
        spec = named_network(session, host)
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
    with engine(session, "Writing the code") as host:
        # The host starts Keras only when it is asked something.
        spec = named_network(session, host)
        return expand(host, spec).result() if session.options.expand else spec


CONVERT = Verb(
    "convert",
    f"write a network, or the layers of a {' or '.join(MODEL_FILES[:2])} file, as {_FORMS}",
    _configure_convert,
    _convert,
)
CODE = Verb("code", "write a network as plain Keras code", _configure_code, _code)
