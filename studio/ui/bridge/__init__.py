"""Between the engine and Qt: journals become signals, work leaves the window's thread.

Everything here lives in the window's thread and hands slow things to others; never imports Keras.
"""
