"""Alembic's environment: runs on the connection that ``store.schema_version`` hands over."""

from alembic import context

from travelrule.store.tables import metadata


def run() -> None:
    """Run the wanted migrations in one transaction."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        transaction_per_migration=False,
        compare_type=False,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
