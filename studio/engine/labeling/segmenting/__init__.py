"""Click to segment: outlines objects from clicks and boxes with a model of two ONNX files.

`requests` has what is asked and answered, `files` finds the two files of a model, `model` runs
them (SAM, MobileSAM and SAM 2), `pictures` reads what the encoder sees, `process` answers in a
process of its own, `host` starts it, and `outlines` outlines the boxes of a whole labeling.
"""
