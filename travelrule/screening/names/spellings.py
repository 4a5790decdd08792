"""Keys that the spellings of one word share: a fold by sound, and the consonants alone."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

_SAME = """
    mohammed muhammad mohamed mohammad muhammed mohamad muhamad muhamed mohamud mahomed mohd muhd mehmed mukhammad
    mukhamed magomed | ahmed ahmad ahmet akhmed akhmad akhmat | mahmud mahmoud mahmood mehmood makhmud | mustafa
    mostafa moustafa mustapha | yusuf yousef yousuf youssef yusef yusif yosef yousif iusuf yusup | muammar moammar
    muammer mouammar mu'ammar | qaddafi gaddafi gadhafi kadafi kaddafi khadafy qadhafi qadafi kadhafi gathafi
    elkaddafi | osman uthman othman usman ousmane uthmaan otman | hassan hasan hasson | hussein husayn hussain
    hossein husein hussien hossain huseyin hussin hussayn | abdullah abdallah abdulla abdalla | ali aly | alexander
    aleksandr alexandr aleksander oleksandr alexandre aliaksandr alyaksandr | alexei alexey aleksei aleksey oleksii
    oleksiy alexy | sergei sergey serhiy serhii serguei siarhei | dmitri dmitry dmitriy dmitrii dimitri dmytro
    dzmitry | yevgeny evgeny evgeniy yevgeniy evgenii yevgenii eugeny yevhen | yuri yury yuriy iurii yurii iouri
    juri | nikolai nikolay mykola mikalai nikolaj | vladimir volodymyr wladimir uladzimir vladymir | andrei andrey
    andriy andrii andrej | mikhail mykhailo mihail michail | igor ihor | oleg oleh | gennady gennadiy gennadi
    hennadii gennadii | vasily vasiliy vasili vasyl vasilii | valery valeriy valeri valerii | anatoly anatoliy
    anatoli anatolii | georgy georgiy georgi georgii heorhii | maxim maksim maksym | konstantin constantin
    kostiantyn | yekaterina ekaterina katerina | ksenia xenia kseniya | jamal gamal djamal jamaal | khalid khaled
    khalied | said saeed saed sayeed saeid sa'id | rashid rashed rachid rasheed | walid waleed oualid | omar umar
    omer | osama usama oussama ousama ussamah usamah | ibrahim ebrahim ibraheem brahim | ismail ismael esmail
    ismaeel esmaeil | suleiman sulaiman sulayman soleiman suleyman souleymane soliman | tariq tarek tareq tarik |
    faisal faysal feisal faycal | jaafar jafar ja'far djafar gaafar jaffar | abu abou aboo | nasser nasir naser
    naseer nassir | mansour mansur mansoor | saleh salih saalih | qasim qassem kassem qasem kassim kasim ghasem |
    zaynab zainab zeinab zeynab | aisha ayesha aicha aysha | fatima fatma fatimah fatemeh fatmeh | philip phillip |
    steven stephen | geoffrey jeffrey | catherine katherine kathryn | yasin yassin yaseen yasseen | bashir basheer
    bachir | abdul abdel abdal abdol abdoul abdur abder abdus abdes abd abdoel abdir | qusay qusai qusayy kusai |
    khamenei khamene'i | laden ladin | bakr | din deen eddine uddin eddin addin | rahman rehman rahmane | aziz azeez
"""
_FOLD_OF = {word.replace("'", ""): group.split()[0] for group in _SAME.split("|") for word in group.split()}
"""Spellings of frequent names that no rule could join without joining different names."""

_SOUNDS = (
    ("tsch", "ch"), ("tch", "ch"), ("tsh", "ch"), ("shch", "sh"), ("sch", "sh"), ("ch", "sh"), ("dzh", "j"),
    ("dj", "j"), ("zh", "j"), ("kh", "k"), ("qh", "k"), ("ck", "k"), ("q", "k"), ("gh", "g"), ("dh", "d"),
    ("th", "t"), ("ph", "f"), ("x", "ks"), ("ce", "se"), ("ci", "si"), ("cy", "sy"), ("c", "k"), ("w", "v"),
    ("ou", "u"), ("oo", "u"), ("ue", "u"), ("oe", "u"), ("o", "u"),
)  # fmt: skip
_VOWELS = re.compile("a[eiy]|e[eiy]|i[ey]|[iy]y?i|iy?|[ey]")
_TWICE = re.compile(r"(.)\1+")
_SOFT_START = re.compile("^(?:ye|ie|je)(?=[a-z]{3})")
_NO_SOUND = re.compile("[aiuvy]|h$")
_FOLD_MIN = 3
_LONG = re.compile("ee|oo|ou")
_SKELETON_MIN = 2
_LIKENESS_MIN = 0.6


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Return the fold that spellings of a word share: "Yusuf" and "Youssef", "Sergei" and "Serhii"."""
    if len(word) < _FOLD_MIN or not word.isalpha():
        return word
    word = _FOLD_OF.get(word, word)
    if word[1] == "e":
        word = _SOFT_START.sub("e", word)
    if word.endswith(("off", "ow")):
        word = word.removesuffix("off").removesuffix("ow") + "ov"
    elif word.endswith("eff"):
        word = word.removesuffix("eff") + "ev"
    for written, sound in _SOUNDS:
        word = word.replace(written, sound)
    word = _TWICE.sub(r"\1", _VOWELS.sub("i", word))
    return word[:-1] if word.endswith(("ah", "ih", "uh")) else word


def sounds_alike(word: str, other: str) -> bool:
    """Whether two words of the same fold are one word: the folds of short words are ambiguous."""
    if word in _FOLD_OF and _FOLD_OF[word] == _FOLD_OF.get(other):
        return True
    return OSA.normalized_similarity(_LONG.sub(_short, word), _LONG.sub(_short, other)) >= _LIKENESS_MIN


def _short(found: re.Match[str]) -> str:
    return "i" if found[0] == "ee" else "u"


def skeleton(word: str) -> str:
    """Return the consonants of a word, as scripts without vowels write it; empty if they are too few."""
    bones = fold(word.replace("zh", "z").replace("dh", "z")).replace("sh", "x")
    bones = _NO_SOUND.sub("", bones)
    return bones if len(bones) >= _SKELETON_MIN else ""
