"""`studio networks …`: which networks there are."""

from __future__ import annotations

from studio.cli.verb import Session, Verb
from studio.engine.networks.zoo import ZOO


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
    return [
        {
            "name": network.name,
            "label": network.label,
            "year": network.year,
            "paper": network.paper,
            "summary": network.summary,
            "smallest": list(network.smallest),
            "channels": list(network.channels),
        }
        for network in ZOO
    ]


NETWORKS = Verb(
    "networks", "the networks that can be trained", verbs=(Verb("list", "list them", run=_list),)
)
