"""What crosses a wire: events, bodies of hub and members, IVMS101, operations; pydantic models and their JSON Schemas.

It may not import any room of the program. Start at ``registry`` (topics and events), ``operations``, ``hub.bodies``
and ``finish_reasons``.
"""
