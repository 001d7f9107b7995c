"""`studio tokens add|list|remove`: who may use the server of a workspace."""

from __future__ import annotations

from studio.cli.verb import Session, Verb, argument
from studio.engine.server.access import add_token, remove_token, stored_tokens
from studio.engine.server.routes import Role


def _add(session: Session) -> object:
    name, role = session.options.name, Role(session.options.role)
    token = add_token(session.workspace, name, role)
    session.output.write(token)
    session.output.note("Copy it now: it is not stored, and cannot be shown again.")
    return {"name": name, "role": role, "token": token}


def _list(session: Session) -> object:
    tokens = stored_tokens(session.workspace)
    if tokens:
        rows = [[each.name, each.role, f"{each.created:%Y-%m-%d}"] for each in tokens]
        session.output.table(["token", "role", "created"], rows)
    else:
        session.output.say("No tokens yet. Try: studio tokens add NAME --role read")
    return [each.model_dump(mode="json", exclude={"code"}) for each in tokens]


def _remove(session: Session) -> object:
    remove_token(session.workspace, session.options.name)
    session.output.say(f"{session.options.name} was removed.")
    return {"name": session.options.name, "state": "removed"}


_name = argument("name", metavar="NAME", help="name of the token, such as that of a person")
_role = argument(
    "--role",
    choices=[each.value for each in Role],
    default=Role.READ.value,
    help="read: see and predict; run: also start and stop jobs; admin: also delete [read]",
)


VERBS = (
    Verb("add", "create a token and print it once", (_name, _role), _add),
    Verb("list", "list the tokens and their roles", run=_list),
    Verb("remove", "remove a token; it is refused at once", _name, _remove),
)
