"""The command line: a thin front end over the engine, one module per noun.

Never imports Keras, Qt or the window; whatever needs Keras happens in a worker or the engine host.

To add a verb: 1. a module with a `Verb`; 2. one line in `verbs.py`. `--workspace`, `--json`, exit
codes and help are added automatically.
"""
