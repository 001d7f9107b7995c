"""A served workspace, asked over HTTP: every route, every role, and what is refused."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Iterator

import pytest

from helpers.command_line import caller
from helpers.digits import Digits
from helpers.serving import ServedTest, serving_workspace
from studio.engine.jobs.queue import KEY_FILE
from studio.engine.server.access import FILE, Access, add_token, remove_token, stored_tokens
from studio.engine.server.routes import RefusedError, Role, Route
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

pytestmark = pytest.mark.slow
SLASHES = (
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e",
    "..%5c..%5c",
    "a%00b",
    ".tokens.json",
    "%0d%0aX:%20y",
)


@pytest.fixture(scope="module")
def served(untouched: Digits) -> Iterator[ServedTest]:
    with serving_workspace(untouched.workspace) as found:
        yield found


def _filled(route: Route, name: str = "none") -> str:
    path = route.path.replace("{name}", name).replace("{file}", "none")
    can_end = any(each.name == "wait" for each in route.parameters)
    return f"{path}?wait=no" if can_end else path


def _body(route: Route) -> bytes | None:
    if route.method == "GET":
        return None
    return b"{}" if route.body is not None else b"no picture"


def _document(served: ServedTest, path: str) -> dict[str, object]:
    status, data = served.ask("GET", path)
    assert status == 200, data
    document: dict[str, object] = json.loads(data)
    return document


def test_the_openapi_document_lists_every_route_and_its_role(served: ServedTest) -> None:
    status, data = served.ask("GET", "/openapi.json", role=None)
    document = json.loads(data)

    assert (status, document["openapi"]) == (200, "3.1.0")
    listed = {
        (method.upper(), path): operation["x-role"]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    own = {(each.method, each.path): each.role for each in served.routes}
    assert len(own) == len(served.routes)
    open_to_all = {("GET", "/"), ("GET", "/health"), ("GET", "/openapi.json")}
    assert listed == own | dict.fromkeys(open_to_all)
    schemas = document["components"]["schemas"]
    for name in json.dumps(document).split("#/components/schemas/")[1:]:
        assert name.partition('"')[0] in schemas
    page = served.ask("GET", "/", role=None)[1].decode()
    assert all(each.path in page for each in served.routes)
    assert "<script" not in page


def test_every_route_asks_for_its_role(served: ServedTest) -> None:
    lower = {Role.READ: None, Role.RUN: Role.READ, Role.ADMIN: Role.RUN}
    for route in served.routes:
        assert route.role is not None, route.path
        where, body = (route.method, _filled(route)), _body(route)
        assert served.ask(*where, body, role=None)[0] == 401, where
        assert (
            served.ask(*where, body, role=None, headers={"Authorization": "Bearer x"})[0] == 401
        ), where
        below = lower[route.role]
        if below is not None:
            status, data = served.ask(*where, body, role=below)
            assert status == 403, where
            assert route.role in json.loads(data)["error"]
        # With the role, only what the request is about can be wrong.
        status, data = served.ask(*where, body, role=route.role)
        expected = 404 if "{" in route.path else 400 if route.body is not None else 200
        assert status == expected, (where, status, data)


def test_records_are_those_of_the_command_line(
    served: ServedTest, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, served.workspace.root)
    datasets = _document(served, "/datasets")["datasets"]
    runs = _document(served, "/runs?limit=5")["runs"]
    one = _document(served, "/runs/lenet")

    assert datasets == call("datasets", "list", "--json").document
    assert runs == call("runs", "list", "--json").document
    shown = call("runs", "show", "lenet", "--json").document
    assert {key: one[key] for key in shown} == shown
    assert "model.keras" in one["downloads"]  # type: ignore[operator]
    for kind in ("sweeps", "evaluations", "exports", "labelings"):
        assert _document(served, f"/{kind}") == {kind: [], "left_out": []}
    assert _document(served, "/queue")["jobs"] == []
    assert _document(served, "/workspace")["role"] == "admin"
    fields = _document(served, "/plans/runs")["fields"]
    assert isinstance(fields, list)
    assert {each["name"] for each in fields} == set(TrainingPlan.model_fields)
    assert served.ask("GET", "/runs/lenet/log")[0] in (200, 404)


def test_files_and_predictions(served: ServedTest, untouched: Digits) -> None:
    (model,) = untouched.run.record.folder.glob("*.keras")
    picture = next(untouched.pictures.glob("3/*.png")).read_bytes()

    assert served.ask("GET", "/runs/lenet/files/model.keras") == (200, model.read_bytes())
    status, data = served.ask("POST", "/runs/lenet/predict?top=2", picture, role=Role.READ)
    assert (status, len(json.loads(data)["predictions"])) == (200, 2)
    assert served.ask("POST", "/runs/lenet/explain", picture)[1].startswith(b"\x89PNG")
    assert served.ask("POST", "/runs/lenet/mask", picture)[0] == 404
    assert served.ask("POST", "/runs/lenet/predict?form=other", picture)[0] == 400


def test_events_continue_after_the_last_one(served: ServedTest, untouched: Digits) -> None:
    journal = (untouched.run.record.folder / "journal.jsonl").read_bytes()

    everything = served.ask("GET", "/runs/lenet/events")[1]
    *events, end = everything.decode().split("\n\n")[:-1]
    ids, lines = zip(*(each.split("\n") for each in events), strict=True)
    assert [line.removeprefix("data: ") for line in lines] == journal.decode().splitlines()
    assert end == 'event: end\ndata: {"state": "completed"}'
    for number in (0, 7, len(ids) - 1):
        last = ids[number].removeprefix("id: ")
        rest = served.ask("GET", "/runs/lenet/events", headers={"Last-Event-ID": last})[1].decode()
        assert rest.split("\n\n")[:-1] == [*events[number + 1 :], end]
    for wrong in ("1", "-5", "abc", str(len(journal) + 1), "9" * 40, "²"):
        text = wrong.encode().decode("latin-1")
        assert (
            served.ask("GET", "/runs/lenet/events", headers={"Last-Event-ID": text})[0] == 400
        ), wrong


@pytest.mark.parametrize("name", SLASHES)
def test_no_name_leads_out_of_the_workspace(served: ServedTest, name: str) -> None:
    for path in (
        f"/runs/{name}",
        f"/runs/lenet/files/{name}",
        f"/exports/{name}/files/x",
        f"/{name}",
        f"/runs/{name}/events",
        f"/runs/{name}/log",
    ):
        status, data = served.ask("GET", path)
        assert status == 404, path
        assert b"root:" not in data


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/runs", {"dataset": "Ziffern ü", "network": "/etc/passwd"}, "no network"),
        ("/runs", {"dataset": "Ziffern ü", "network": "model.keras"}, "no network"),
        ("/runs", {"dataset": "none"}, "none"),
        ("/runs", {"dataset": "Ziffern ü", "plan": {"weights": "/etc/passwd"}}, "weights"),
        ("/runs", {"dataset": "Ziffern ü", "plan": {"mlflow": "http://evil.example"}}, "mlflow"),
        ("/runs", {"dataset": "Ziffern ü", "plan": {"ray": "evil.example:1"}}, "ray"),
        ("/runs", {"dataset": "Ziffern ü", "plan": {"machine": "evil.example"}}, "evil"),
        ("/runs", {"dataset": "Ziffern ü", "plan": {"epochs": -1}}, "epochs"),
        ("/runs", {"dataset": "Ziffern ü", "epoch": 1}, "epoch"),
        ("/runs", {"plan": "text"}, "plan"),
        ("/runs", [], "body"),
        ("/exports", {"run": "lenet", "plan": {"to": "/tmp"}}, "to cannot be set"),
        ("/exports", {"run": "lenet", "plan": {"variants": ["none"]}}, "none"),
        ("/evaluations", {"run": "lenet", "plan": {"model_file": "/etc/passwd"}}, "model_file"),
        ("/evaluations", {"run": "none"}, "none"),
    ],
)
def test_a_body_cannot_name_files_of_the_server(
    served: ServedTest, path: str, body: object, expected: str
) -> None:
    status, data = served.ask("POST", path, json.dumps(body).encode())

    assert status == 400
    assert expected in json.loads(data)["error"]
    assert len(served.workspace.records(RecordKind.RUN)) == 1


def test_a_plan_is_completed_and_nothing_starts(served: ServedTest) -> None:
    body = {"dataset": "Ziffern ü", "network": "mlp", "plan": {"epochs": 3}}
    status, data = served.ask("POST", "/plans/runs", json.dumps(body).encode())

    assert status == 200, data
    plan = json.loads(data)
    assert (plan["network"], plan["epochs"]) == ("mlp", 3)
    again = json.dumps({"like": "lenet", "plan": {"epochs": 2}}).encode()
    assert json.loads(served.ask("POST", "/plans/runs", again)[1])["network"] == "lenet"
    assert len(served.workspace.records(RecordKind.RUN)) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "127.0.0.1@evil.example"},
    ],
)
def test_pages_of_other_websites_are_refused(served: ServedTest, headers: dict[str, str]) -> None:
    for method, path, body in (
        ("GET", "/runs", None),
        ("GET", "/health", None),
        ("DELETE", "/runs/lenet", None),
        ("POST", "/runs/lenet/stop", b""),
    ):
        assert served.ask(method, path, body, headers=headers)[0] == 403
    assert served.ask("GET", "/runs", headers={"Origin": served.url})[0] == 200


def test_bodies_that_are_too_large_or_no_json(served: ServedTest) -> None:
    assert served.ask("POST", "/runs", b'"' + b"a" * (5 * 2**20) + b'"')[0] == 413
    assert served.ask("POST", "/runs", b"[" * 100_000)[0] == 400
    assert served.ask("POST", "/runs", b"{")[0] == 400
    assert served.ask("POST", "/runs", b"\xff\xfe")[0] == 400
    assert served.ask("GET", "/runs?limit=-1")[0] == 400
    assert served.ask("GET", "/runs?limit=1e9")[0] == 400
    assert served.ask("PUT", "/runs")[0] == 405
    assert served.ask("GET", "/runs/")[0] == 404


@pytest.mark.parametrize(
    "head",
    [
        b"GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\r\n b\x00: c\r\n\r\n",
        b"GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"GET /runs HTTP/1.1\r\n\r\n",
        b"GET /runs\r\n\r\n",
        (
            b"POST /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\n\r\n"
        ),
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_malformed_heads_reach_no_route(served: ServedTest, head: bytes) -> None:
    data = b""
    with (
        socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection,
        contextlib.suppress(OSError),  # the server closes before a long head ends
    ):
        connection.sendall(head)
        connection.shutdown(socket.SHUT_WR)
        while received := connection.recv(65536):
            data += received

    assert set(re.findall(rb"HTTP/1.1 (\d+)", data)) <= {b"400", b"401", b"403", b"431"}
    assert served.ask("GET", "/health", role=None)[0] == 200


def test_names_from_records_cannot_add_headers(served: ServedTest, untouched: Digits) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        token = served.tokens[Role.READ]
        connection.sendall(
            f"GET /runs/lenet/files/model.keras HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode()
        )
        data = b"".join(iter(lambda: connection.recv(65536), b""))
    head = data.partition(b"\r\n\r\n")[0].lower()

    assert b'content-disposition: attachment; filename="lenet-model.keras"' in head
    assert b"x-content-type-options: nosniff" in head
    assert b"cache-control: no-store" in head


def test_tokens_are_stored_as_codes_of_this_user(workspace: Workspace) -> None:
    access = Access(stored=lambda: stored_tokens(workspace))

    def role(token: str) -> Role | None:
        headers = {"host": "localhost:1", "authorization": f"Bearer {token}"}
        try:
            return access.check(headers, Role.READ)
        except RefusedError:
            return None

    ann, bob = add_token(workspace, "Ann", Role.RUN), add_token(workspace, "Bob", Role.READ)
    text = (workspace.root / FILE).read_text()

    assert (role(ann), role(bob)) == (Role.RUN, Role.READ)
    assert role("") is role("x") is role("ü" * 10) is None
    assert ann not in text
    assert bob not in text
    assert (workspace.root / FILE).stat().st_mode & 0o077 == 0
    # Neither a role nor a code can be changed by who has the folder.
    (workspace.root / FILE).write_text(text.replace('"read"', '"admin"'))
    assert role(bob) is None
    (workspace.root / FILE).write_text(text)
    remove_token(workspace, "ann")
    assert (role(ann), role(bob)) == (None, Role.READ)


def test_the_command_line_of_tokens(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, workspace.root)

    added = call("tokens", "add", "ann", "--role", "run", "--json").document
    assert len(added["token"]) > 40
    assert [each["role"] for each in call("tokens", "list", "--json").document] == ["run"]
    assert "already" in call("tokens", "add", "ANN").mistake
    assert "needs a name" in call("tokens", "add", " ").mistake
    assert call("tokens", "remove", "ann", "--json").document["state"] == "removed"
    assert "no token" in call("tokens", "remove", "ann").mistake
    assert not list(workspace.root.rglob(KEY_FILE))
