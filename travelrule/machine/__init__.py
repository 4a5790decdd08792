"""What all state machines share: input, decision, effects, transition table, decision builder, retry policy, ids.

Pure: no I/O, and no import of a machine, a message or the engine.
Start with ``port.py`` (what a machine is), then ``decision_builder.py``; alert codes are in ``alert_codes.py``.
"""
