"""Build the labelled set of name screening: ``python -m scripts.screening_names LISTS_FOLDER [--ordinary]``.

The folder holds ``sdn.csv``, ``alt.csv`` and ``UN_consolidated.xml``. With ``--ordinary`` names of ordinary customers
are written too, which needs the package Faker. The random source is seeded: the same lists result in the same files.
``tests/data/screening_names/README.md`` describes the files.
"""

# ruff: noqa: S311  the random source is seeded: the same lists result in the same files

from __future__ import annotations

import argparse
import csv
import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rapidfuzz.distance import JaroWinkler

from scripts.screening_lists import Name, read
from scripts.screening_spellings import CLEAN, MISSPELT, OTHERWISE, for_companies

TARGET = Path(__file__).parents[1] / "tests" / "data" / "screening_names"
SEED = 20_260_227
PERSONS, COMPANIES = 1100, 500
LOCALES = (
    "en_US", "en_GB", "en_IN", "en_PK", "de_DE", "fr_FR", "es_ES", "es_MX", "es_CO", "pt_BR", "it_IT", "nl_NL",
    "pl_PL", "ru_RU", "uk_UA", "tr_TR", "ar_SA", "fa_IR", "ko_KR", "zh_CN", "ja_JP", "vi_VN", "id_ID",
)  # fmt: skip
PERSONS_PER_LOCALE, COMPANIES_PER_LOCALE = 300, 100
LATIN_COMPANIES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "es_MX", "it_IT", "nl_NL", "pt_BR", "pl_PL", "tr_TR")
ALIAS_LIKENESS = 0.78


def part_of(*key: str) -> str:
    """Return ``tune`` or ``held`` for all names of one entry: held-out entries are measured, never tuned on."""
    return "held" if hashlib.sha256("|".join(key).encode()).digest()[0] % 2 else "tune"


def main() -> int:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m scripts.screening_names", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the lists")
    parser.add_argument("--ordinary", action="store_true", help="write ordinary.csv too (needs Faker)")
    given = parser.parse_args()
    names = read(given.folder)
    chosen = _chosen(names)
    _write("listed.csv", Name._fields, chosen)
    _write("spellings.csv", ("part", "how", "kind", "list", "entry", "query"), _spellings(chosen))
    _write("unseen.csv", ("part", "how", "kind", "list", "entry", "query"), _unseen(chosen))
    if given.ordinary:
        _write("ordinary.csv", ("part", "locale", "kind", "query"), _ordinary())
    return 0


def _write(file: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with (TARGET / file).open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _chosen(names: Sequence[Name]) -> list[Name]:
    """Return all names of some entries: a random sample, and each entry that ``native.csv`` and others refer to."""
    with (TARGET / "native.csv").open(encoding="utf-8", newline="") as file:
        wanted = {(row["list"], row["entry"]) for row in csv.DictReader(file)}
    with (TARGET / "confusions.csv").open(encoding="utf-8", newline="") as file:
        wanted |= {(row["list"], row["entry"]) for row in csv.DictReader(file)}
    draw = random.Random(SEED)
    for kind, count in (("person", PERSONS), ("organisation", COMPANIES)):
        entries = sorted({name[:2] for name in names if name.kind == kind})
        wanted |= set(draw.sample(entries, count))
    scripts = sorted({name[:2] for name in names if name.role == "script"})
    wanted |= set(draw.sample(scripts, len(scripts) // 2))
    return [name for name in names if name[:2] in wanted]


def _spellings(names: Sequence[Name]) -> Iterator[tuple[str, ...]]:
    """Return variants of one listed name of each entry."""
    entries: dict[tuple[str, str], list[Name]] = defaultdict(list)
    for name in names:
        words = name.name.replace(",", " ").split()
        if name.name.isascii() and name.quality == "strong" and (len(words) > 1 or name.kind != "person"):
            entries[name[:2]].append(name)
    for entry, listed in entries.items():
        draw = random.Random(f"{SEED} {entry}")
        name = draw.choice(listed)
        groups = (CLEAN, MISSPELT, OTHERWISE) if name.kind == "person" else for_companies()
        for count, group in zip((1, 2, 2), groups, strict=True):
            for how in draw.sample(sorted(group), min(count, len(group))):
                query = group[how](name.name, draw)
                if query and query != name.name:
                    yield part_of(*entry), how, name.kind, *entry, query


def _unseen(names: Sequence[Name]) -> Iterator[tuple[str, ...]]:
    """Return other spellings of the primary name, and original scripts: they are excluded from the search."""
    primary = {name[:2]: name for name in names if name.role == "primary"}
    for name in names:
        if name.kind != "person":
            continue
        if name.role == "script":
            yield part_of(*name[:2]), "script", name.kind, *name[:2], name.name
        elif name.role == "alias" and name.quality == "strong" and _same_person(name.name, primary[name[:2]].name):
            yield part_of(*name[:2]), "alias", name.kind, *name[:2], name.name


def _same_person(alias: str, primary: str) -> bool:
    """Whether each word of the shorter name resembles a word of the longer: another spelling, not another name."""
    one, other = sorted((set(re.findall(r"\w+", text.lower())) for text in (alias, primary)), key=len)
    alike = [max(JaroWinkler.similarity(word, each) for each in other) for word in one]
    return len(one) > 1 and one != other and min(alike) >= ALIAS_LIKENESS


def _ordinary() -> Iterator[tuple[str, ...]]:
    from faker import Faker  # noqa: PLC0415 -- only this part needs it

    for locale in LOCALES:
        fake = Faker(locale, use_weighting=True)
        fake.seed_instance(SEED)
        people = (" ".join(str(fake.name()).split()) for _ in range(PERSONS_PER_LOCALE))
        for name in dict.fromkeys(people):
            yield part_of(name), locale, "person", name
        if locale in LATIN_COMPANIES:
            for name in dict.fromkeys(str(fake.company()) for _ in range(COMPANIES_PER_LOCALE)):
                yield part_of(name), locale, "organisation", name


if __name__ == "__main__":
    raise SystemExit(main())
