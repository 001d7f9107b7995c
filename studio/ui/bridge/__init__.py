"""Between the engine and Qt: journals become signals, work leaves the window's thread.

Everything here runs in the window's thread and moves slow work to others; never imports Keras.
"""
