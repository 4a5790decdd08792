"""``travelrule validate``: what a worker would answer to the events of a file, without broker, database or settings.

May not decode by itself: ``streams.codec`` reads the events, as it does in a worker. Start at ``command.py``, then
``event_file.py`` (a file as records) and ``answer.py``.
"""
