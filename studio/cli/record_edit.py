"""Names, notes, tags and groups of records, of one kind or of any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from studio.cli.verb import Options, Session, Verb, argument
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.workspace import Record, RecordInfo, RecordKind
from studio.engine.workspace.records import checked_tags, checked_word


def edit_verbs(kind: RecordKind) -> tuple[Verb, ...]:
    """Return `rename`, `note`, `tag`, `untag` and `group` for records of a kind."""
    noun = kind.value
    one, several = records_options(noun, several=False), records_options(noun)
    name = argument("to", metavar="NAME", help="new name")
    text = argument("text", metavar="TEXT", help="text of the note; '' removes it")
    tags = argument(
        "--tag", metavar="T", action="append", required=True, help="tag; may be repeated"
    )
    group = argument("--to", metavar="G", required=True, help="name of the group; '' for none")
    into_group = f"set or clear the group of {noun}s"
    return (
        Verb("rename", f"rename a {noun}", (one, name), _on(kind, _rename)),
        Verb("note", f"write a note on a {noun}", (one, text), _on(kind, _note)),
        Verb("tag", f"add tags to {noun}s", (several, tags), _on(kind, _tag)),
        Verb("untag", f"remove tags from {noun}s", (several, tags), _on(kind, _untag)),
        Verb("group", into_group, (several, group), _on(kind, _group)),
    )


def find_records(session: Session, kind: RecordKind) -> list[Record]:
    """Return the records that `options.records` names, each once.

    Args:
        session: The command in progress.
        kind: Kind of the records.

    Raises:
        StudioError: One of them does not exist.
    """
    found = [session.workspace.find(kind, name) for name in session.options.records]
    return list(dict.fromkeys(found))


kind_option = argument(
    "--kind", choices=[kind.value for kind in RecordKind], help="only records of this kind"
)


def named_kind(session: Session) -> RecordKind | None:
    """Return the kind that `--kind` names, or None."""
    return None if session.options.kind is None else RecordKind(session.options.kind)


def find_any(session: Session, name: str) -> Record:
    """Return the record of a name or id, of the kind of `--kind` or of any.

    Args:
        session: The command in progress.
        name: Name or id.

    Raises:
        StudioError: It does not exist, or records of several kinds have that name.
    """
    kind = named_kind(session)
    if kind is not None:
        return session.workspace.find(kind, name)
    pairs = [(each, session.workspace) for each in RecordKind]
    found = [at.named(each, name) or at.record(each, name) for each, at in pairs]
    records = [record for record in found if record is not None]
    if not records:
        raise StudioError(f'There is no record called "{name}".', "Check the name, or add --kind.")
    if len(records) > 1:
        kinds = " and ".join(record.kind.value for record in records)
        raise StudioError(
            f'"{name}" is the name of records of several kinds: {kinds}.',
            f"Choose one, for example --kind {records[0].kind.value}.",
            "kind",
        )
    return records[0]


only_run = argument("--run", dest="of_run", metavar="R", help="only those of this run")
"""The option of `records_of_run`."""


def records_of_run(
    session: Session, kind: RecordKind, run_of: Callable[[Job], str]
) -> Iterator[tuple[Job, RecordInfo]]:
    """Yield the jobs of a kind with their records, oldest first; of `--run`, if it is given.

    Args:
        session: The command in progress.
        kind: Kind of the records.
        run_of: Returns the id of the run of a job.
    """
    session.queue.dispatch()
    name = session.options.of_run
    run = None if name is None else session.workspace.find(RecordKind.RUN, name).id
    for record, info in session.workspace.infos(kind):
        job = Job(record)
        try:
            is_of_run = run is None or run_of(job) == run
        except StudioError as error:
            session.output.note(f"{info.name} is left out: {error}")
            continue
        if is_of_run:
            job.refresh()
            yield job, info


def list_records(
    session: Session,
    kind: RecordKind,
    run_of: Callable[[Job], str],
    columns: Sequence[str],
    content: Callable[[Job], tuple[Mapping[str, object], Sequence[Sequence[str]]]],
    nothing: str,
) -> list[dict[str, object]]:
    """Print the jobs of a kind as a table; return them as JSON data. Takes `only_run`.

    Args:
        session: The command in progress.
        kind: Kind of the records.
        run_of: Returns the id of the run of a job.
        columns: Headings of the cells of `content`.
        content: Returns what JSON data of a job have besides name, id, state and time, and the
            cells of each of its lines.
        nothing: Sentence without jobs.
    """
    document, rows = [], []
    for job, info in records_of_run(session, kind, run_of):
        more, lines = content(job)
        state = job.history.state.value
        about = {"name": info.name, "id": info.id, "state": state}
        document.append({**about, "created": info.created.isoformat(), **more})
        rows += [[info.name, state, *cells] for cells in lines]
    if rows:
        session.output.table([kind.value, "state", *columns], rows)
    else:
        session.output.say(nothing)
    return document


def records_options(noun: str, *, several: bool = True) -> Options:
    """Return the positional arguments for names of records, as `options.records`.

    Args:
        noun: Word for a record.
        several: True if several names are allowed.
    """
    return argument(
        "records",
        metavar=noun.upper(),
        nargs="+" if several else 1,
        help=f"names of {noun}s" if several else f"name of the {noun}",
    )


def _on(
    kind: RecordKind, edit: Callable[[Session, Sequence[Record]], object]
) -> Callable[[Session], object]:
    """Return a verb that edits the named records, then prints and returns what they say now."""

    def run(session: Session) -> object:
        records = find_records(session, kind)
        edit(session, records)
        document = [_describe(session, record) for record in records]
        return document if edit in (_tag, _untag, _group) else document[0]

    return run


def _rename(session: Session, records: Sequence[Record]) -> None:
    session.workspace.rename(records[0], session.options.to)


def _note(session: Session, records: Sequence[Record]) -> None:
    session.workspace.annotate(records[0], session.options.text)


def _tag(session: Session, records: Sequence[Record]) -> None:
    tags = checked_tags(session.options.tag)
    for record in records:
        session.workspace.retag(record, add=tags)


def _untag(session: Session, records: Sequence[Record]) -> None:
    tags = checked_tags(session.options.tag)
    for record in records:
        session.workspace.retag(record, remove=tags)


def _group(session: Session, records: Sequence[Record]) -> None:
    group = checked_word(session.options.to)
    for record in records:
        session.workspace.annotate(record, group=group)


def _describe(session: Session, record: Record) -> dict[str, object]:
    info = record.info()
    words = [f"group {info.group}"] if info.group else []
    words += [f"tags {', '.join(info.tags)}"] if info.tags else []
    session.output.say(f"{info.name}: {'; '.join(words) or 'no group, no tags'}")
    if info.notes:
        session.output.say(f"  {info.notes}")
    return {"name": info.name, **info.details()}
