"""The pool of connections to the database, with its metrics."""

from __future__ import annotations

from time import perf_counter

from sqlalchemy.pool import AsyncAdaptedQueuePool
from sqlalchemy.pool.base import ConnectionPoolEntry

from travelrule import metrics


class MeasuredPool(AsyncAdaptedQueuePool):
    """SQLAlchemy's asynchronous pool; it also measures how long a task waits for a connection."""

    def _do_get(self) -> ConnectionPoolEntry:
        began = perf_counter()
        try:
            return super()._do_get()
        finally:
            metrics.DATABASE_WAIT_SECONDS.observe(perf_counter() - began)

    def show(self) -> None:
        """Serve the state of this pool: the one that the roles of a process share."""
        metrics.DATABASE_CONNECTIONS_MAX.set(self.size() + max(self._max_overflow, 0))
        metrics.DATABASE_CONNECTIONS.labels(state="used").set_function(self.checkedout)
        metrics.DATABASE_CONNECTIONS.labels(state="idle").set_function(self.checkedin)
