"""What the tabs share that look into the validations of a run: time line, pictures, layout.

Must not import a page other than ours, nor NumPy at the top of a module: the window starts
without it.
"""
