"""Dashboard of screening: the lists in use, what they hit, ratings of wallets and transactions, proofs of ownership."""

from __future__ import annotations

from scripts.dashboards.promql import highest, increase, lowest, quantile, rate, shared
from scripts.dashboards.specs import DashboardSpec, PanelQuery, PanelSpec, SectionSpec, stat

ASKED = "travelrule_hub_request_duration_seconds"
LIST = "namespace, job, list"
RATINGS = 'operation=~"wallet-screening|transaction-screening|kyt.*|ownership.*|unhosted.*"'
CAUSES = 'reason=~".*(SANCTION|SCREEN|KYT|LIST|RISK|OWNERSHIP).*"'
HELD = f"{shared('travelrule_held_subjects', matchers=CAUSES)} or vector(0)"
RATED_ONLY = 'kind="screening", reason!~"OWNERSHIP.*"'
PROOFS = 'kind="screening", reason=~"OWNERSHIP.*"'
"""Both are verdicts about requests on the topic of screenings; the reason tells which."""
OUTCOMES = {"hit": "red", "clear": "green", "unchecked": "orange"}

LISTS = SectionSpec(
    "Sanctions lists",
    (
        stat(
            "Lists in use",
            "Sanctions lists that a process searches. Without a list nothing is taken for clean.",
            PanelQuery(f"count ({highest('travelrule_list_entries', LIST)}) or vector(0)"),
            "short",
        ),
        stat(
            "Entries in use",
            "Entries of all lists together.",
            PanelQuery(f"sum ({highest('travelrule_list_entries', LIST)})"),
            "short",
        ),
        stat(
            "Oldest list",
            "Time since the oldest list in use was published, or imported where it is not dated.",
            PanelQuery(highest("travelrule_list_age_seconds")),
            "s",
            (2 * 86400, "orange"), (7 * 86400, "red"),
        ),
        stat(
            "Owners not screened",
            "Wallets whose owner was not screened with the lists in force; other VASPs get no answer about them.",
            PanelQuery(highest("travelrule_owners_unscreened")),
            "short",
            (1, "orange"),
        ),
        stat(
            "Subjects on hold for screening",
            "Withdrawals and deposits that are held because of a screening or because it is not complete.",
            PanelQuery(HELD),
            "short",
            (1, "orange"),
        ),
        stat(
            "Searches without lists",
            "Searches over the time shown that could not be made because no list was in use.",
            PanelQuery(
                'sum (increase(travelrule_list_searches_total{job=~"$job", instance=~"$instance", '
                'outcome="unchecked"}[$__range]))'
            ),
            "short",
            (1, "red"),
        ),
        PanelSpec(
            "Age of each list",
            "Time since a list was published, or imported where it is not dated. A saw tooth shows regular imports.",
            (PanelQuery(highest("travelrule_list_age_seconds", LIST), "{{job}} {{list}}"),),
            "s",
        ),
        PanelSpec(
            "Entries of each list",
            "Entries in use. A sudden fall means that the publisher removed many, or that a wrong file was imported.",
            (PanelQuery(highest("travelrule_list_entries", LIST), "{{job}} {{list}}"),),
        ),
        PanelSpec(
            "Searches",
            "Searches of parties or addresses in the lists, by outcome.",
            (PanelQuery(rate("travelrule_list_searches_total", "outcome"), "{{outcome}}"),),
            "ops",
            stacked=True,
            colors=OUTCOMES,
        ),
        PanelSpec(
            "Hits",
            "Searches that found an entry.",
            (PanelQuery(increase("travelrule_list_searches_total", matchers='outcome="hit"'), "hits", "a hit"),),
            kind="bars",
            width=12,
            colors={"hits": "red"},
        ),
        PanelSpec(
            "Lists that differ between processes",
            "Difference between the highest and the lowest number of entries that processes search. Above zero for a"
            " moment after an import.",
            (
                PanelQuery(
                    f"{highest('travelrule_list_entries', LIST)} - {lowest('travelrule_list_entries', LIST)}",
                    "{{job}} {{list}}",
                ),
            ),
            width=12,
        ),
    ),
)  # fmt: skip

RATED = SectionSpec(
    "Ratings and proofs",
    (
        PanelSpec(
            "Requests",
            "Requests to rate a wallet or a transaction and to prove ownership, by operation.",
            (PanelQuery(rate(f"{ASKED}_count", "operation", RATINGS), "{{operation}}", "a request for a rating"),),
            "reqps",
            stacked=True,
        ),
        PanelSpec(
            "Time of a request",
            "95 of 100 requests took at most so long, by operation.",
            (
                PanelQuery(
                    quantile(0.95, ASKED, "operation", RATINGS), "{{operation}}", "a request for a rating"
                ),
            ),
            "s",
        ),
        PanelSpec(
            "Outcomes",
            "What came of these requests.",
            (PanelQuery(rate(f"{ASKED}_count", "outcome", RATINGS), "{{outcome}}", "a request for a rating"),),
            "reqps",
            stacked=True,
        ),
        PanelSpec(
            "Screening verdicts",
            "Verdicts about screenings that the platform asked for, by verdict and first reason.",
            (
                PanelQuery(
                    increase("travelrule_verdicts_total", "verdict, reason", RATED_ONLY),
                    "{{verdict}} {{reason}}",
                    "a screening that the platform asked for",
                ),
            ),
            kind="bars",
            width=12,
        ),
        PanelSpec(
            "Ownership verdicts",
            "Verdicts about proofs of ownership that the platform asked for, by verdict and first reason.",
            (
                PanelQuery(
                    increase("travelrule_verdicts_total", "verdict, reason", PROOFS),
                    "{{verdict}} {{reason}}",
                    "a proof of ownership",
                ),
            ),
            kind="bars",
            width=12,
        ),
    ),
)  # fmt: skip

SCREENING = DashboardSpec(
    "screening",
    "Travel Rule / Screening",
    "Sanctions lists with age and entries, searches, hits, ratings of wallets and transactions, proofs of ownership.",
    (LISTS, RATED),
)
