"""The VASPs of the directory: health, keys and networks, and the alerts when they change.

Pure: no I/O. The engine refreshes the directory.
Start with ``vasp.py``.
"""
