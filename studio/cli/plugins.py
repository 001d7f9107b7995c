"""`studio plugins`: what other installed packages add to Studio, and whether it works."""

from __future__ import annotations

from dataclasses import asdict

from studio.cli.verb import Session
from studio.engine.plug_ins import TABLES, installed_plug_ins


def run(session: Session) -> object:
    """Print the plug-ins of all groups, and return them."""
    listed = installed_plug_ins()
    if listed:
        session.output.table(
            ["kind", "name", "package", "works"],
            [[each.group, each.name, each.package, each.problem or "yes"] for each in listed],
        )
    else:
        session.output.say(f"No plug-ins. Groups of entry points: {', '.join(TABLES)}.")
    return [asdict(each) for each in listed]
