"""The signed HTTP client of the hub: requests, answers, and errors that name whose fault it is and what to do.

It repeats nothing, stores nothing and decides nothing. Start at ``hub.HubClient``, its table ``operations``.
"""
