"""The library: every source of pretrained weights, its licenses, and its files on this machine.

`licenses` says what each license allows, `sources` reads the list of sources, `places` turns their
addresses into those that are asked, `store` downloads and imports files. Never imports Keras.

To add a source: an entry in `assets/pretrained/sources.toml`.
"""
