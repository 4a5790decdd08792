"""The path of every input, by floors: ``apply`` decides and writes rows, the other floors carry out the rows.

May not contain a rule of a machine; broker, hub client and clock are passed in (``ports``).
Start at ``intake`` (inputs become batches), then ``apply/engine.py``; ``registry`` lists the machines.
"""
