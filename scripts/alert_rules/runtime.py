"""Alerts about processes: scraping, workers, periodic jobs, database, event loop, audit chain."""

from __future__ import annotations

from scripts.alert_rules.rule import INSTALLATION, AlertRule, by, largest
from travelrule.engine.retention.job import INTERVAL_SECONDS as RETENTION_SECONDS

SEEN = "6h"
"""For so long a process that was scraped is expected to be there."""
_ON = ", ".join(INSTALLATION)
_FAILED_ROUNDS = 5
_AUDIT_SECONDS = 2 * 86_400
JOB_SECONDS = 900
# `notify` listens until its connection fails: it completes no round. `retention` works once an hour.
_OFTEN = 'travelrule_job_last_success_timestamp_seconds{periodic_job!~"notify|retention"}'
_HOURLY = 'travelrule_job_last_success_timestamp_seconds{periodic_job="retention"}'
_GATEWAY = 'travelrule_connections_open{listener="gateway"}'
_VERIFIED = "travelrule_audit_verified_timestamp_seconds"
_WORKERS = "travelrule_partitions_assigned"
_LATE = "rate(travelrule_event_loop_lag_seconds_bucket[5m])"
_WAITS = "rate(travelrule_database_wait_seconds_bucket[5m])"

ALERTS = (
    AlertRule(
        "TravelRuleTargetDown",
        "warning",
        f"up == 0 and on ({_ON}, instance) last_over_time(travelrule_build_info[{SEEN}])",
        "A process does not answer Prometheus",
        "{{ $labels.instance }} of {{ $labels.job }} cannot be scraped.",
        hold="3m",
    ),
    AlertRule(
        "TravelRuleNoProcess",
        "critical",
        f"group {by()} (last_over_time(travelrule_build_info[{SEEN}])) unless group {by()} (up == 1)"
        " or absent(travelrule_build_info)",
        "No process answers",
        "{{ with $labels.job }}No process of {{ . }}{{ else }}No process of any installation{{ end }} can be scraped.",
        hold="1m",
    ),
    AlertRule(
        "TravelRuleWorkerAbsent",
        "critical",
        f"group {by()} (last_over_time(travelrule_partitions_assigned[{SEEN}]))"
        f" unless group {by()} (travelrule_partitions_assigned)",
        "No worker runs",
        "{{ $labels.job }} had workers and has none now: no event is decided or published.",
        hold="2m",
    ),
    AlertRule(
        "TravelRuleGatewayAbsent",
        "critical",
        f"group {by()} (last_over_time({_GATEWAY}[{SEEN}])) unless group {by()} ({_GATEWAY})",
        "No gateway runs",
        "{{ $labels.job }} had gateways and has none now: requests of the hub fail.",
        hold="2m",
    ),
    AlertRule(
        "TravelRuleJobFailing",
        "warning",
        f"sum {by('periodic_job')} (increase(travelrule_job_failures_total[10m])) > {_FAILED_ROUNDS}",
        "A periodic job fails",
        "Job {{ $labels.periodic_job }} of {{ $labels.job }} failed {{ $value | printf `%.0f` }} times in ten minutes.",
    ),
    AlertRule(
        "TravelRuleJobLate",
        "warning",
        f"time() - {largest(_OFTEN, 'periodic_job')} > AGE"
        f" or time() - {largest(_HOURLY, 'periodic_job')} > {3 * int(RETENTION_SECONDS)}",
        "A periodic job has not succeeded for a long time",
        "Job {{ $labels.periodic_job }} of {{ $labels.job }} last succeeded {{ $value | humanizeDuration }} ago.",
        hold="5m",
        age=JOB_SECONDS,
    ),
    AlertRule(
        "TravelRuleDatabasePoolExhausted",
        "warning",
        f"histogram_quantile(0.95, sum {by('instance', 'le')} ({_WAITS})) > 0.5",
        "Transactions wait for a database connection",
        "One in twenty transactions of {{ $labels.instance }} of {{ $labels.job }} waits"
        " {{ $value | humanizeDuration }} for a connection.",
        hold="5m",
    ),
    AlertRule(
        "TravelRuleEventLoopBlocked",
        "warning",
        f"histogram_quantile(0.95, sum {by('instance', 'le')} ({_LATE})) > 0.25",
        "A process does not get to its work",
        "One in twenty tasks of {{ $labels.instance }} of {{ $labels.job }} continues"
        " {{ $value | humanizeDuration }} late.",
        hold="5m",
    ),
    AlertRule(
        "TravelRuleAuditBroken",
        "critical",
        f"{largest('travelrule_audit_faults')} > 0",
        "The audit chain does not verify",
        "{{ $value }} faults in the audit records of {{ $labels.job }}: records were changed or removed.",
    ),
    AlertRule(
        "TravelRuleAuditNotVerified",
        "warning",
        # A process shows no time before it completed a check: without any, workers that ran two days ago count.
        f"time() - {largest(_VERIFIED)} > AGE or (group {by()} ({_WORKERS} offset 2d) and group {by()} ({_WORKERS})"
        f" unless group {by()} (last_over_time({_VERIFIED}[2d])))",
        "The audit chain was not verified for days",
        "The audit records of {{ $labels.job }} were last verified more than two days ago, or never.",
        hold="5m",
        age=_AUDIT_SECONDS,
    ),
)
