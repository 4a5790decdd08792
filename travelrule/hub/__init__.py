"""The hub: admits calls of members, forwards them to other members, and answers what no member can.

Its modules are the floor that all groups share: operations, calls, answers, records, ports, callbacks. It may not
import gateway, engine or client. Start at ``operations``, what is served, and ``runtime.service``, the order of checks.
"""
