"""Korean: Hangul in Latin letters (Revised Romanisation), and a common key of all spellings of a Korean name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FIRST, _LAST = 0xAC00, 0xD7A3
_INITIALS = ("g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h")
_VOWELS = (
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi", "yu", "eu",
    "ui", "i",
)  # fmt: skip
_FINALS = (
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t", "ng", "t",
    "t", "k", "t", "p", "t",
)  # fmt: skip

_SURNAME_FORMS = """
    김 kim gim | 이 리 lee yi rhee ri i li rhie | 박 park pak bak bark | 최 choi choe ch'oe chwe
    | 정 jeong jung chung chong jong cheong | 강 kang gang | 조 cho jo joe | 윤 yoon yun youn | 장 jang chang
    | 임 림 lim im rim yim | 한 han | 오 oh o | 서 seo suh so sur | 신 shin sin | 권 kwon gwon kweon
    | 황 hwang whang | 안 an ahn | 송 song | 류 유 ryu yu yoo you lyu | 전 jeon jun chun chon jon | 홍 hong
    | 고 ko go koh | 문 moon mun | 양 량 yang ryang | 손 son sohn | 배 bae pae bai | 백 baek paek paik baik back
    | 허 heo hur huh ho her | 남 nam | 심 shim sim | 노 로 noh no roh ro | 하 ha | 곽 kwak gwak
    | 성 sung seong song | 차 cha | 주 joo ju chu | 우 woo u wu | 구 koo ku gu goo | 민 min | 나 라 na ra la
    | 진 jin chin | 지 ji jee chi | 엄 eom um ohm | 채 chae | 원 won weon | 천 cheon chun chon | 방 bang pang
    | 공 kong gong | 현 hyun hyeon hyon | 함 ham | 변 byun byeon pyon | 염 yeom yum ryom yom | 여 려 yeo ryo yo
    | 추 choo chu | 도 do to | 소 so soh | 석 seok suk sok | 선 seon sun son | 설 seol sul sol | 마 ma
    | 길 gil kil | 연 yeon yon | 위 wi | 표 pyo | 명 myung myeong myong | 기 ki gi | 반 ban pan | 왕 wang
    | 금 geum kum | 옥 ok | 육 yuk | 인 in | 맹 maeng | 제 je | 모 mo | 탁 tak | 국 kook kuk guk | 어 eo uh
    | 은 eun un | 편 pyeon | 용 yong | 계 kye gye
"""
_GROUPS = [group.split() for group in _SURNAME_FORMS.split("|")]
_SURNAMES: dict[str, tuple[str, ...]] = {}
for _group in _GROUPS:
    for _form in _group:
        _SURNAMES[_form.replace("'", "")] = (*_SURNAMES.get(_form, ()), _group[0])
_COMMON_LATIN = {
    form: next(each for each in group if each.isascii()) for group in _GROUPS for form in group if not form.isascii()
}
"""The most frequent spelling of a surname: the first Latin form of its group."""

_DOUBLE = ("남궁", "황보", "제갈", "사공", "선우", "독고", "서문")

_SYLLABLE = (
    "(?:kk|tt|pp|ss|jj|ch|kh|th|ph|sh|[gndrlmbsjktph])?"
    "(?:yeo|yae|wae|you|eo|eu|ae|oe|wi|wa|weo|wo|we|ui|ya|ye|yo|yu|oo|ee|woo|ou|a|e|i|o|u)"
    "(?:ng|[nmlkgtpbr](?![aeiouyw])|ck)?"
)
_GIVEN = re.compile(f"(?:{_SYLLABLE}){{1,2}}")
_FOLDS = (
    (re.compile(r"ye?ou?ng"), "yong"), (re.compile(r"eo|eu|oo|ou|woo|u"), "o"), (re.compile("ee"), "i"),
    (re.compile("kk|kh|ck|[gq]"), "k"), (re.compile("tt|th|d"), "t"), (re.compile("pp|ph|b"), "p"),
    (re.compile("ss|sh"), "s"), (re.compile("jj|ch|j"), "c"), (re.compile("l"), "r"), (re.compile("wo"), "o"),
)  # fmt: skip
_WORDS_MAX = 4
_NAME_MIN, _NAME_MAX = 2, 4
"""Syllables of a whole name."""


def is_hangul(letter: str) -> bool:
    """Whether a character is a Korean syllable."""
    return _FIRST <= ord(letter) <= _LAST


def romanised(word: str) -> str:
    """Return Hangul in Latin letters, syllable by syllable; other characters are unchanged."""
    return "".join(_syllable(letter) if is_hangul(letter) else letter for letter in word)


def _syllable(letter: str) -> str:
    number = ord(letter) - _FIRST
    return _INITIALS[number // 588] + _VOWELS[number % 588 // 28] + _FINALS[number % 28]


def person_words(word: str) -> tuple[str, ...]:
    """Return surname, in its most frequent spelling, and given name of a name in Hangul without a blank."""
    size = _NAME_MIN if word.startswith(_DOUBLE) and len(word) > _NAME_MIN else 1
    if not _NAME_MIN <= len(word) <= _NAME_MAX or (size == 1 and word[0] not in _COMMON_LATIN):
        return (romanised(word),)
    surname = _COMMON_LATIN.get(word[:size]) or romanised(word[:size])
    return surname, romanised(word[size:])


def korean_keys(words: Sequence[str]) -> tuple[str, ...]:
    """Return keys that all romanisations of one Korean name share; none if the name does not look Korean.

    The surname may be first or last. Different names may share a key, because romanisation loses information.
    """
    if not _NAME_MIN <= len(words) <= _WORDS_MAX:
        return ()
    return tuple(sorted({*_keys(words[0], words[1:]), *_keys(words[-1], words[:-1])}))


def _keys(surname: str, given: Sequence[str]) -> Iterator[str]:
    groups = _SURNAMES.get(surname)
    joined = "".join(given)
    if groups and len(joined) > 1 and _GIVEN.fullmatch(joined):
        for pattern, letter in _FOLDS:
            joined = pattern.sub(letter, joined)
        yield from (f"{group} {joined}" for group in groups)
