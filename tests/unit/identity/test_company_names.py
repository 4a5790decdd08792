import pytest

from travelrule.identity.company_names import same_company, without_form


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("Birch Trading Ltd.", "BirchTrading"),
        ("Birch Trading Co., Ltd.", "BirchTrading"),
        ("Birch Pte. Ltd.", "Birch"),
        ("Birch Sdn. Bhd.", "Birch"),
        ("Birch S.A.", "Birch"),
        ("Birch Sp. z o.o.", "Birch"),
        ("Birch GmbH & Co. KG", "Birch"),
        ("ООО Берёза", "Берёза"),
        ("Берёза ООО", "Берёза"),
        ("PT Birch Tbk", "Birch"),
        ("주식회사 코빗", "코빗"),
        ("주식회사코빗", "코빗"),
        ("코빗(주)", "코빗"),
        ("㈜코빗", "코빗"),
        ("株式会社バーチ", "バーチ"),
        ("白桦股份有限公司", "白桦"),
        ("Limited Ideas Inc.", "LimitedIdeas"),  # only at the ends
        ("Company Ltd", "Company Ltd"),  # nothing else would be left
        ("Ltd.", "Ltd."),
        ("Coldltd", "Coldltd"),  # not inside a word
    ],
)
def test_legal_forms_are_taken_off_the_ends(name: str, rest: str) -> None:
    assert without_form(name) == rest


@pytest.mark.parametrize(
    ("sent", "held", "same"),
    [
        (["Birch Trading Ltd."], ["BIRCH TRADING LIMITED"], True),
        (["Birch-Trading"], ["Birch Trading, Inc."], True),
        (["Birch Trading"], ["Birch Holding"], False),
        (["Wrong", "Birch"], ["Other", "Birch AG"], True),
        (["Fund 1 Ltd"], ["Fund 2 Ltd"], False),  # digits are part of the name
        (["Fund 1 Ltd"], ["Fund 1"], True),
        (["Fund Ltd"], ["Fund 1 Ltd"], True),  # some systems drop digits from every name
        (["360"], ["360"], True),
        (["360"], ["361"], False),
        (["360"], ["Birch"], False),
        (["Ltd"], ["Inc"], False),
        (["!!"], ["??"], False),
        ([], ["Birch"], False),
        (["Birch"], [], False),
    ],
)
def test_company_names(sent: list[str], held: list[str], same: bool) -> None:
    assert same_company(sent, held) is same
    assert same_company(held, sent) is same
