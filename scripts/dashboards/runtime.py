"""Dashboard of the processes: event loop, batches, database, consumer group, periodic jobs, audit, retention."""

from __future__ import annotations

from scripts.dashboards.promql import highest, increase, mean, quantile, rate, selected, shared, since, total
from scripts.dashboards.specs import DashboardSpec, PanelQuery, PanelSpec, SectionSpec, stat

PER_PROCESS = "{{instance}}"

PROCESSES = SectionSpec(
    "Processes",
    (
        stat(
            "Processes up",
            "Targets that Prometheus reaches.",
            PanelQuery(total("up")),
            "short",
        ),
        stat(
            "Processes down",
            "Targets that Prometheus does not reach.",
            PanelQuery(f"count ({selected('up')} == 0) or vector(0)"),
            "short",
            (1, "red"),
        ),
        stat(
            "Versions",
            "Versions of the program that run. More than one only during a rollout.",
            PanelQuery(f"count (count by (version) ({selected('travelrule_build_info')}))"),
            "short",
            (2, "orange"),
        ),
        stat(
            "Policies",
            "Versions of the policy in force. More than one for seconds after `travelrule policy apply`.",
            PanelQuery(
                f"max (count by (namespace, job) (count by (namespace, job, version) "
                f"({selected('travelrule_policy_info')})))"
            ),
            "short",
            (2, "orange"),
        ),
        stat(
            "Without progress",
            "Longest time that records have waited for a process without any progress; it fails `/livez` at 120.",
            PanelQuery(highest("travelrule_consumer_stalled_seconds")),
            "s",
            (30, "orange"), (120, "red"),
        ),
        stat(
            "Partitions without a worker",
            "Partitions of input topics that no member of the consumer group has.",
            PanelQuery(shared("travelrule_partitions_unserved")),
            "short",
            (1, "red"),
        ),
        PanelSpec(
            "Processor time",
            "Cores that each process uses. A worker at 1 is at its limit: run another one.",
            (PanelQuery(rate("process_cpu_seconds_total", "instance"), PER_PROCESS),),
            "short",
        ),
        PanelSpec(
            "Memory",
            "Resident memory of each process.",
            (PanelQuery(highest("process_resident_memory_bytes", "instance"), PER_PROCESS),),
            "bytes",
        ),
        PanelSpec(
            "Open files",
            "Descriptors of each process; the soft limit is in `process_max_fds`.",
            (PanelQuery(highest("process_open_fds", "instance"), PER_PROCESS),),
        ),
        PanelSpec(
            "Event loop lag",
            "How much later than asked for the event loop resumed a task, 99 of 100 times.",
            (PanelQuery(quantile(0.99, "travelrule_event_loop_lag_seconds", "instance"), PER_PROCESS),),
            "s",
        ),
        PanelSpec(
            "Heartbeat",
            "From the end of the queue of inputs to its commit: how long an input takes through a worker that is not"
            " asked anything else.",
            (PanelQuery(quantile(0.95, "travelrule_heartbeat_duration_seconds", "instance"), PER_PROCESS),),
            "s",
        ),
        PanelSpec(
            "Age of the newest heartbeat",
            "It stays low while inputs reach the database, with or without events of the platform.",
            (PanelQuery(since("travelrule_heartbeat_timestamp_seconds", "instance"), PER_PROCESS),),
            "s",
        ),
    ),
)  # fmt: skip

BATCHES = SectionSpec(
    "Batches and database",
    (
        PanelSpec(
            "Inputs of a batch",
            "Mean number of inputs of one transaction. It rises under load, which makes each input cheaper.",
            (PanelQuery(mean("travelrule_batch_inputs", "instance"), PER_PROCESS),),
        ),
        PanelSpec(
            "Time of a batch",
            "Time of one transaction from begin to commit.",
            (
                PanelQuery(quantile(0.5, "travelrule_batch_duration_seconds"), "p50"),
                PanelQuery(quantile(0.99, "travelrule_batch_duration_seconds"), "p99"),
            ),
            "s",
        ),
        PanelSpec(
            "Inputs not committed",
            "Inputs that a process took and has not committed yet.",
            (PanelQuery(highest("travelrule_intake_pending", "instance"), PER_PROCESS),),
        ),
        PanelSpec(
            "Time since the last batch",
            "Long times are normal without traffic; beside a rising lag they show a worker that is stuck.",
            (PanelQuery(since("travelrule_last_batch_timestamp_seconds", "instance"), PER_PROCESS),),
            "s",
        ),
        PanelSpec(
            "Connections to the database",
            "Connections of all pools by state, and the size of all pools.",
            (
                PanelQuery(total("travelrule_database_connections", "state"), "{{state}}"),
                PanelQuery(total("travelrule_database_connections_max"), "size"),
            ),
            colors={"size": "red"},
        ),
        PanelSpec(
            "Wait for a connection",
            "How long a task waited for a connection to the database, 99 of 100 times.",
            (PanelQuery(quantile(0.99, "travelrule_database_wait_seconds", "instance"), PER_PROCESS),),
            "s",
        ),
    ),
)

GROUP = SectionSpec(
    "Consumer group",
    (
        PanelSpec(
            "Partitions of each process",
            "Partitions of input topics that a worker consumes.",
            (PanelQuery(total("travelrule_partitions_assigned", "instance"), PER_PROCESS),),
            stacked=True,
        ),
        PanelSpec(
            "Unserved partitions by topic",
            "Partitions that no member of the group has, by topic, as the broker reports it.",
            (PanelQuery(shared("travelrule_partitions_unserved", "topic"), "{{topic}}"),),
        ),
        PanelSpec(
            "Rebalances",
            "Rebalances of the group that processes took part in.",
            (
                PanelQuery(
                    increase("travelrule_rebalances_total", "instance"), PER_PROCESS, "a worker that came or left"
                ),
            ),
            kind="bars",
        ),
        PanelSpec(
            "Time of a rebalance",
            "From the moment partitions are taken away until the process consumes again.",
            (PanelQuery(quantile(0.95, "travelrule_rebalance_duration_seconds"), "p95", "a worker that came or left"),),
            "s",
        ),
        PanelSpec(
            "Time of an offset commit",
            "Time of one commit of offsets to the broker, 95 of 100 times.",
            (PanelQuery(quantile(0.95, "travelrule_offset_commit_duration_seconds"), "p95"),),
            "s",
        ),
        PanelSpec(
            "Age of the broker's answer",
            "Time since the broker last reported the committed offsets: lag and partitions are as old as that.",
            (PanelQuery(highest("travelrule_broker_answer_age_seconds", "instance"), PER_PROCESS),),
            "s",
        ),
    ),
)

JOBS = SectionSpec(
    "Periodic jobs, audit and retention",
    (
        PanelSpec(
            "Time since each job succeeded",
            "Of a job with a lease the process that holds it counts. A row that grows is a job that does not run.",
            (PanelQuery(since("travelrule_job_last_success_timestamp_seconds", "periodic_job"), "{{periodic_job}}"),),
            "s",
            "table",
            height=9,
            limits=((600, "orange"), (3600, "red")),
        ),
        PanelSpec(
            "Leases",
            "The process that holds the lease of each job. One line for each job is right.",
            (PanelQuery(f"{selected('travelrule_leases_held')} == 1", "{{job}} {{lease}}: {{instance}}"),),
            kind="timeline",
            height=9,
            width=16,
            states={1: ("held", "green")},
        ),
        PanelSpec(
            "Failed rounds",
            "Rounds of a periodic job that failed because the database did not answer.",
            (
                PanelQuery(
                    increase("travelrule_job_failures_total", "periodic_job"),
                    "{{periodic_job}}",
                    "a database that does not answer",
                ),
            ),
            kind="bars",
        ),
        PanelSpec(
            "Audit chain",
            "Subjects whose chain the running check proved each second, and the faults that it still finds: zero.",
            (
                PanelQuery(rate("travelrule_audit_checked_total"), "proved per second"),
                PanelQuery(highest("travelrule_audit_faults"), "faults"),
            ),
            colors={"faults": "red"},
        ),
        PanelSpec(
            "Time since the last full check of the audit chain",
            "The check goes round all subjects and the signed log.",
            (PanelQuery(f"time() - {highest('travelrule_audit_verified_timestamp_seconds')}", "last check"),),
            "s",
        ),
        PanelSpec(
            "Removed by retention",
            "What retention erased or deleted, by what.",
            (
                PanelQuery(
                    increase("travelrule_retention_removed_total", "what"), "{{what}}", "data at the end of their term"
                ),
            ),
            kind="bars",
            width=12,
        ),
        PanelSpec(
            "Open connections",
            "Open connections of the listeners.",
            (PanelQuery(total("travelrule_connections_open", "listener"), "{{listener}}"),),
            width=12,
        ),
    ),
)

EXCHANGE_SERVICE = SectionSpec(
    "Exchange service and sandbox",
    (
        PanelSpec(
            "Members",
            "Members of the exchange service by health.",
            (PanelQuery(total("travelrule_members", "health"), "{{health}}", "an exchange service of ours"),),
            stacked=True,
        ),
        PanelSpec(
            "Time to answer a member",
            "95 of 100 requests of members were answered within so long, by operation.",
            (
                PanelQuery(
                    quantile(0.95, "travelrule_member_request_duration_seconds", "operation"),
                    "{{operation}}",
                    "an exchange service of ours",
                ),
            ),
            "s",
        ),
        PanelSpec(
            "Callbacks to members",
            "Callbacks of the exchange service, by whether the member took them.",
            (
                PanelQuery(
                    rate("travelrule_member_callbacks_total", "outcome"), "{{outcome}}", "an exchange service of ours"
                ),
            ),
            "reqps",
        ),
    ),
)

RUNTIME = DashboardSpec(
    "runtime",
    "Travel Rule / Runtime",
    "The processes: event loop, memory, batches, database, consumer group, periodic jobs, audit, retention.",
    (PROCESSES, BATCHES, GROUP, JOBS, EXCHANGE_SERVICE),
)
