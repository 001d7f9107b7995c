"""The description of the routes: an OpenAPI document, and a page for people."""

from __future__ import annotations

from html import escape
from typing import Any

from studio import __version__
from studio.engine.server.routes import Parameter, Payload, Route

_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_SCHEMAS = "#/components/schemas/"
_STYLE = (
    "body{font:15px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}"
    "td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}code{white-space:nowrap}"
)


def described(name: str, routes: tuple[Route, ...]) -> tuple[Route, ...]:
    """Return routes with two more that describe all of them; both need no token.

    Args:
        name: Display name of what is served.
        routes: The routes.
    """
    page = Route("GET", "/", None, "This page.", lambda _: made, media_type="text/html")
    schema = Route("GET", "/openapi.json", None, "The OpenAPI document.", lambda _: document)
    every = (*routes, page, schema)
    document = openapi_document(name, every)
    made = Payload(page_of(name, every).encode(), "text/html; charset=utf-8")
    return every


def openapi_document(name: str, routes: tuple[Route, ...]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of routes; the role of each is in `x-role`.

    Args:
        name: Display name of what is served.
        routes: The routes.
    """
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {"Error": _ERROR}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
        if route.body is not None:
            schema = route.body.model_json_schema(ref_template=_SCHEMAS + "{model}")
            schemas |= schema.pop("$defs", {})
            schemas[route.body.__name__] = schema
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Studio: {name}", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    names = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ] + [_query(each) for each in route.parameters]
    error = {"content": {"application/json": {"schema": {"$ref": f"{_SCHEMAS}Error"}}}}
    operation: dict[str, Any] = {
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            str(route.status): {"description": "Done.", "content": {route.media_type: {}}},
            "default": {"description": "Refused or failed.", **error},
        },
        "security": [] if route.role is None else [{"token": []}],
        "x-role": route.role,
    }
    if route.takes_picture:
        content: dict[str, Any] = {"application/octet-stream": {}}
        operation["requestBody"] = {"required": True, "content": content}
    elif route.body is not None:
        schema = {"$ref": f"{_SCHEMAS}{route.body.__name__}"}
        content = {"application/json": {"schema": schema}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _query(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "default": parameter.default}
    if isinstance(parameter.default, int):
        schema |= {"type": "integer", "minimum": parameter.low, "maximum": parameter.high}
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.help,
        "schema": schema,
    }


def page_of(name: str, routes: tuple[Route, ...]) -> str:
    """Return the routes as an HTML page without scripts.

    Args:
        name: Display name of what is served.
        routes: The routes.
    """
    rows = "".join(
        f"<tr><td>{each.method}<td><code>{escape(each.path)}</code><td>{each.role or 'no token'}"
        f"<td>{escape(each.summary)}"
        for each in routes
    )
    title = f"Studio: {escape(name)}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style><h1>{title}</h1>"
        "<p>Send the token with each request: <code>Authorization: Bearer TOKEN</code>. "
        "The roles are read, run and admin; each includes the ones before it. "
        '<a href="openapi.json">OpenAPI document</a></p>'
        f"<table><tr><th>Method<th>Path<th>Role<th>{rows}</table></html>"
    )
