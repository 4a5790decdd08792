"""IVMS101: building and checking payloads, comparing names, account numbers and transaction ids.

Pure: no I/O, no policy, no state. Start at `payloads` (what we send), `payload_faults` (what is wrong with a payload)
and `name_comparison`.
"""
