"""The HTTP server: predictions of a model, or a whole workspace.

`routes` has the types: a route is data. `app` makes an application of routes; it alone checks
hosts, origins, tokens, roles, parameters and sizes. `model_routes` and `workspace_routes` are the
routes, `events` follows journals, `access` keeps tokens, `openapi` describes the routes.

The routes call the functions that the command line calls. Starlette comes with the extra "serve"
and is imported by `app` alone.
"""
