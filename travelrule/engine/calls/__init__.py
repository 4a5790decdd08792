"""Calls: due rows of the table ``calls`` become signed requests, and their results become inputs.

Changes no subject and decides no verdict; may not import ``apply``. Retry rules are in ``machine.retry_policy``.
Start at ``call_dispatcher`` (claim, concurrency), then ``call_executor`` (one attempt).
"""
