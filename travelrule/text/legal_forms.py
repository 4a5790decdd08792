"""Legal forms of companies: "Ltd.", "GmbH", "株式会社".

Two rules use them. Comparing names for the Travel Rule drops a form at the ends of a name (ivms101.md section 5):
``END_FORMS`` and ``LEADING_FORMS``. Name screening treats the spellings of one form as one word anywhere in a name:
``FORM_KINDS`` and ``FORM_KINDS_OF_SEVERAL_WORDS``. The tables differ because the rules do; ``ATTACHED_FORMS`` serves
both.
"""

from __future__ import annotations

ATTACHED_FORMS = (
    "유한책임회사", "주식회사", "유한회사", "합자회사", "합명회사",
    "株式会社", "合同会社", "有限会社", "股份有限公司", "有限責任公司", "有限责任公司", "有限公司",
)  # fmt: skip
"""Forms written against the name without a blank; the longer one first where one ends in another."""

ATTACHED_SPELLINGS = (*ATTACHED_FORMS, "(주)", "(유)", "(株)", "(有)", "公司")
"""``ATTACHED_FORMS`` and their short spellings, for name screening."""

_END_WORDS = """
    inc incorporated ltd limited llc llp lp plc corp corporation co company
    gmbh ag kg kgaa ohg ug ev eg gbr mbh se sa sas sasu sarl eurl snc scs sca spa srl srls
    sapa bv nv vof cv oy oyj ab hb asa as aş aps sl slu sau slne sadecv lda ltda eireli
    sro spolsro doo dd ad ood eood kft zrt nyrt bt sia uab oü ou
    spzoo pty pte pvt private proprietary sdn bhd berhad tbk kk gk yk jsc ojsc pjsc cjsc
    fze fzco fzllc dmcc wll psc ооо оао зао пао ао тоо
"""
END_FORMS = frozenset(_END_WORDS.split())
"""Words for a legal form at the end of a name, normalised."""

LEADING_FORMS = frozenset({"pt", "cv", "ооо", "оао", "зао", "пао", "ао", "тоо"})
"""Words for a legal form in front of a name, normalised."""

LONG_FORMS = ("company", "limited", "corporation", "incorporated", "compania", "limitada", "private", "liability")
"""Words of legal forms that are long enough to be misspelt."""

_SPELLINGS = """
    ltd limited ltda limitada lda pte pvt private proprietary pty sdnbhd | inc incorporated | corp corporation
    corporacion corporativo | co company compania compagnie cia cie | llc ooo too tov mchj wll lls | llp | lp | plc
    | gmbh mbh ggmbh | ag | kg kgaa | ohg | ug | sa sarl sas sau sasu spa srl srls sl slu sadecv sderldecv safi saic
    eurl snc scs sca sc ei eirl eireli esal scoopltda | bv nv vof cv | oy oyj ab as asa aps hb | doo dd ad ood eood
    | kft zrt nyrt bt rt | sro spolsro | spzoo | sia uab ou | jsc ojsc pjsc cjsc ojs oao zao pao ao pat prat jscb
    | kk gk yk | pt tbk cv | bhd berhad sdn | fze fzc fzco fzllc dmcc psc pjs saoc saog bsc | coop cooperative
    | gmbhcokg | est establishment | jointstock
"""
FORM_KINDS = {form: group.split()[0] for group in _SPELLINGS.split("|") for form in group.split()}
"""Spelling of a legal form to the word that names its kind."""

FORM_KINDS_OF_SEVERAL_WORDS = {
    ("s", "de", "r", "l", "de", "c", "v"): "sa",
    ("sa", "de", "cv"): "sa",
    ("s", "a", "de", "c", "v"): "sa",
    ("s", "de", "rl", "de", "cv"): "sa",
    ("de", "cv"): "sa",
    ("de", "c", "v"): "sa",
    ("sp", "z", "o", "o"): "spzoo",
    ("sp", "z", "oo"): "spzoo",
    ("spol", "s", "r", "o"): "sro",
    ("s", "r", "o"): "sro",
    ("d", "o", "o"): "doo",
    ("s", "r", "l"): "sa",
    ("s", "p", "a"): "sa",
    ("s", "a", "s"): "sa",
    ("s", "a", "r", "l"): "sa",
    ("s", "a"): "sa",
    ("b", "v"): "bv",
    ("n", "v"): "bv",
    ("l", "l", "c"): "llc",
    ("j", "s", "c"): "jsc",
    ("joint", "stock", "company"): "jsc",
    ("open", "joint", "stock", "company"): "jsc",
    ("closed", "joint", "stock", "company"): "jsc",
    ("public", "joint", "stock", "company"): "jsc",
    ("limited", "liability", "company"): "llc",
    ("public", "limited", "company"): "plc",
    ("obshchestvo", "s", "ogranichennoy", "otvetstvennostyu"): "llc",
    ("aktsionernoe", "obshchestvo"): "jsc",
    ("sociedad", "anonima"): "sa",
}
"""Legal forms of several words, as splitting leaves them, to the word that names their kind."""

FORM_STARTS = frozenset(words[0] for words in FORM_KINDS_OF_SEVERAL_WORDS)
FORM_WORDS_MAX = max(map(len, FORM_KINDS_OF_SEVERAL_WORDS))
