"""Workspaces that `studio serve` offers on another computer, used from here.

`connection` sends requests and follows events; the Python client (`studio.api.remote`) and the
window share it. `credentials` stores tokens. A `mirror` is a local folder with a copy of the
records, which `follower` keeps in step with the server, so that all that reads a workspace reads
it, too. `workspace`, `queue` and `engine` take the places of `Workspace`, `JobQueue` and
`EngineHost`: what changes something, starts a job or predicts goes to the server.
"""
