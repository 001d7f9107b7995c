"""The designer: a canvas to draw networks on. Never imports Keras; shapes come from the host.

What a page uses is one widget, `designer.Designer`:

    designer = Designer(context)
    designer.open(spec, name, record_id="")   shows a network; `name` is how it is called, and
                                              `record_id` the saved network that it is, if it is
    designer.open_new()                       an empty drawing: images, a head, nothing between
    designer.show_file(path)                  reads JSON, .keras or .h5 in the engine host
    designer.spec() -> NetworkSpec            what is drawn now, whole
    designer.name, designer.record_id, designer.is_dirty
    designer.weights_file                     the model's file that the drawing was read from:
                                              its weights belong to it; empty if there is none
    designer.set_data(shape, classes)         sizes for new drawings (of the dataset at hand)

Signals:
    train_asked()               "Train this": the drawing is to be trained
    saved(str)                  it was saved to the library; id of the record
    left()                      "Back to all networks" was pressed; the drawing is kept
    changed()                   name, dirty state or drawing changed (for a title or a card)

An unsaved drawing that another one takes the place of is set aside; a notice and the list of
networks bring it back. It is also kept as a draft in the workspace (`drafts`), and offered when
the designer is made the next time.

Free of Qt: `picture` (what is shown of a drawing); `studio.engine.networks` has `edits` (one
function per change of a drawing, and the clipboard), `layout` (automatic places) and `drafts`.
"""
