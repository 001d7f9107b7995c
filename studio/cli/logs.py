"""`studio logs`: what the worker of a job has printed, such as messages of TensorFlow."""

from __future__ import annotations

from studio.cli.log_reader import LogReader
from studio.cli.record_edit import find_any, kind_option
from studio.cli.verb import Session, argument
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.job import Job
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.workspace import RecordKind

run_options = (
    argument("name", metavar="RECORD", help="name or id of a run, or of another record"),
    kind_option,
    argument("-f", "--follow", action="store_true", help="print new lines until the job ends"),
    argument(
        "-n", "--lines", type=int, metavar="N", help="only the last N lines so far [all of them]"
    ),
)


def run(session: Session) -> object:
    """Print the log of a job.

    Raises:
        StudioError: There is no such record, or it has no log.
    """
    options = session.options
    if options.lines is not None and options.lines < 0:
        raise StudioError(f"--lines must be at least 0; received {options.lines}.", where="lines")
    run = session.workspace.named(RecordKind.RUN, options.name) if options.kind is None else None
    job = Job.read(run or find_any(session, options.name))
    path = job.record.folder / LOG_FILE
    log = LogReader(path)
    lines = list(log.new_lines())
    if not options.follow:
        lines += log.unfinished_line()
    if not lines and not options.follow and not path.exists():
        raise StudioError(
            f"{job.record.name} has no log: no worker has started on this machine.",
            f"Its state is {job.history.state.value}.",
        )
    shown = lines if options.lines is None else lines[max(0, len(lines) - options.lines) :]
    for line in shown:
        session.output.write(line)
    if options.follow:
        for _ in control.follow(session.queue, job):
            for line in log.new_lines():
                session.output.write(line)
                shown.append(line)
            session.output.flush()
        for line in log.unfinished_line():
            session.output.write(line)
            shown.append(line)
    return {"name": job.record.name, "path": str(path), "lines": shown}
