"""What the search of names must see through, and what it must not take for the same name."""

from datetime import date

import pytest

from travelrule.screening.names import ListedName, NameIndex, NameKind, NameMatch


def person(entry: str, name: str, **facts: object) -> ListedName:
    return ListedName("OWN", entry, "person", name, **facts)  # type: ignore[arg-type]


def firm(entry: str, name: str) -> ListedName:
    return ListedName("OWN", entry, "organisation", name)


LISTED = (
    person("kim", "KIM, Jong Un"),
    person("hwang", "황병서"),
    person("wang", "WANG, Guoying"),
    person("han", "郑晓龙"),
    person("putin", "PUTIN, Vladimir Vladimirovich"),
    person("lavrov", "Лавров Сергей Викторович"),
    person("arabic", "محمد حسن رحماني"),
    person("zawahiri", "AL-ZAWAHIRI, Ayman Muhammed Rabi"),
    person("rahman", "ABD AL-RAHMAN, Tariq"),
    person("mueller", "MÜLLER-KÖNIGSBERG, Jörg"),
    person("carter", "WELLINGTON, Barnaby Thaddeus", birth_dates=("1971-05-04",), countries=("GB",)),
    person("nick", "PANTHERA", quality="weak"),
    firm("trade", "ZENITHAL MARITIME TRADING CO., LTD."),
    firm("jsc", "JSC ARGUMENTUM"),
    firm("korean", "주식회사 조선광업"),
    firm("group", "THE OMICRON GROUP"),
    firm("corp", "CORP"),
    *(person(f"filler-{number}", f"Filler{number:03d}x Otherone{number:03d}y") for number in range(60)),
    *(firm(f"group-{number}", f"VENTURE{number:03d} GROUP TRADING") for number in range(60)),
)
INDEX = NameIndex.build(LISTED)


def found(query: str, kind: NameKind = "person") -> dict[str, NameMatch]:
    return {match.entry_id: match for match in INDEX.search(query, kind)}


@pytest.mark.parametrize(
    ("query", "entry", "reason"),
    [
        ("Al-Zawahiri Ayman Muhammed Rabi", "zawahiri", "another order"),
        ("Ayman Muhammed Rabi al-Zawahiri", "zawahiri", "same name"),
        ("AL-ZAWAHIRI, AYMAN MUHAMMED RABI", "zawahiri", "same name"),
        ("Ayman Mohamed Rabee Al Zawahri", "zawahiri", "another spelling of 'muhammed'"),
        ("Ayman al-Zawahiri", "zawahiri", "without 'muhammed rabi'"),
        ("Ayman M. Rabi al-Zawahiri", "zawahiri", "initial for 'muhammed'"),
        ("Dr. Barnaby Thaddeus Wellington", "carter", "another or no legal form or title"),
        ("Barnaby Thadeus Wellington", "carter", "another spelling of 'thaddeus'"),
        ("Barnaby Thaddues Wellington", "carter", "one letter differs in 'thaddeus'"),
        ("BarnabyThaddeus Wellington", "carter", "same"),
        ("Barnabi Thadeus Welington", "carter", "'wellington'"),
        ("Tarek Abdulrahman", "rahman", "another spelling of 'tariq'"),
        ("Jorg Muller Konigsberg", "mueller", "same name"),
        ("Jörg Müller\u2011Königsberg", "mueller", "same name"),
        ("Владимир Путин", "putin", "without"),
        ("Sergey Viktorovich Lavrov", "lavrov", "order"),
        ("Mohammad Hassan Rahmani", "arabic", "same consonants"),
        ("김정은", "kim", "same"),
        ("Gim Jeong-eun", "kim", "romanised another way"),
        ("Hwang Pyong So", "hwang", "romanised another way"),
        ("王国英", "wang", "order"),
        ("Zheng Xiaolong", "han", "same name"),
        ("Xiao Long ZHENG", "han", ""),
        ("\u200fBarn\u200baby\u00ad Thad\u2060deus Wellington\u202c", "carter", ""),
        ("Ｂａｒｎａｂｙ　Ｔｈａｄｄｅｕｓ　Ｗｅｌｌｉｎｇｔｏｎ", "carter", "same"),
        ("Вarnaby Тhaddeus Wellingtоn", "carter", "same name"),
    ],
)
def test_another_way_to_write_a_person(query: str, entry: str, reason: str) -> None:
    match = found(query).get(entry)
    assert match is not None
    assert match.score >= 0.9
    assert reason in match.reason


@pytest.mark.parametrize(
    ("query", "entry"),
    [
        ("Zenithal Maritime Trading Company Limited", "trade"),
        ("zenithal maritime trading", "trade"),
        ("ZENITHAL MARITIME TRADING S.A. DE C.V.", "trade"),
        ("Zenithal Maritme Trading Ltd", "trade"),
        ("Argumentum Joint Stock Company", "jsc"),
        ("JSCARGUMENTUM", "jsc"),
        ("(주)조선광업", "korean"),
        ("Omicron Group", "group"),
    ],
)
def test_another_way_to_write_a_firm(query: str, entry: str) -> None:
    assert entry in found(query, "organisation")


@pytest.mark.parametrize(
    "query",
    [
        "Barnaby Smith",  # one name shared
        "Wellington",  # a surname alone
        "Mohammed Ali",  # frequent names
        "Vladimir Petrov",
        "Kim Jong Suk",
        "王英",  # a syllable less is another name in Chinese
        "郑晓",
        "张国英",  # another surname that sounds nearly alike
        "Panthero Lopez",
    ],
)
def test_another_person(query: str) -> None:
    assert found(query) == {}


@pytest.mark.parametrize("query", ["The Sigma Group", "Trading Co., Ltd.", "Group", "Omicron Holding Trading", "Ltd"])
def test_another_firm(query: str) -> None:
    assert found(query, "organisation") == {}


def test_a_name_that_is_nothing_but_a_legal_form_is_found_by_itself_only() -> None:
    assert set(found("Corp", "organisation")) == {"corp"}


def test_a_birth_date_orders_and_explains_but_never_clears() -> None:
    query = "Barnaby Thaddeus Wellington"
    (same,) = INDEX.search(query, "person", birth_date=date(1971, 5, 4), country="GB")
    (other,) = INDEX.search(query, "person", birth_date=date(1999, 1, 1), country="FR")
    assert "same date of birth" in same.reason
    assert "another date of birth; the list names other countries" in other.reason
    assert other.score == same.score
    assert other.rank < same.rank


def test_a_weak_alias_counts_only_when_it_agrees_wholly() -> None:
    assert "nick" in found("Panthera")
    assert "nick" not in found("Pantherra")


def test_the_threshold_is_the_callers() -> None:
    query = "Barnaby Thaddeus Quentin"
    assert INDEX.search(query, "person") == ()
    (match,) = INDEX.search(query, "person", threshold=0.5)
    assert 0.5 <= match.score < 0.9


def test_one_match_per_entry_and_no_more_than_the_limit() -> None:
    twice = NameIndex.build([person("one", "Barnaby Wellington"), person("one", "Barnabe Wellington")])
    assert len(twice.search("Barnaby Wellington")) == 1
    many = NameIndex.build([person(str(number), "Barnaby Wellington") for number in range(30)])
    assert len(many.search("Barnaby Wellington", limit=7)) == 7


def test_reasons_never_quote_what_was_searched() -> None:
    for query in ("Barnaby Thadeus Wellington", "Ayman Mohamed Rabee Al Zawahri", "Barnaby Quentin T. Wellington"):
        for match in found(query).values():
            words = {word.strip(",.").lower() for word in query.split()} - set(
                match.name.lower().replace(",", "").split()
            )
            assert not words & set(match.reason.replace("'", " ").split())
