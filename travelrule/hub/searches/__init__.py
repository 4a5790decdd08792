"""TXID and wallet searches: accepted at once, sent to every member, their outcome stored and called back.

Calls members through ``ports.MemberTransport`` only; reads no payload of a member. Start at ``search_responder``.
"""
