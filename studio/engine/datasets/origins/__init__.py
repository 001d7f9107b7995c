"""Origins of the images of a dataset: films, stacks, patients, folders, bursts, near-duplicates.

Images of one origin resemble each other more than new images resemble them, so that metrics are
too high if validation or test images have an origin with training images. `evidence` proposes the
origins of images that were found, with a function for each kind of evidence; `record` is what a
dataset stores; `facts` is what a report says; `sidecar` keeps origins in exported files.

Must not import sources that read files, or the window.
"""
