"""What spellings of one word share: a fold by sound, and the consonants alone."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

_SAME = """
    mohammed muhammad mohamed mohammad muhammed mohamad muhamad muhamed mohamud mahomed mohd muhd mehmed mukhammad
    mukhamed magomed | ahmed ahmad ahmet akhmed akhmad akhmat | mahmud mahmoud mahmood mehmood makhmud
    | mustafa mostafa moustafa mustapha | yusuf yousef yousuf youssef yusef yusif yosef yousif iusuf yusup
    | muammar moammar muammer mouammar mu'ammar | qaddafi gaddafi gadhafi kadafi kaddafi khadafy qadhafi qadafi kadhafi
    gathafi elkaddafi | osman uthman othman usman ousmane uthmaan otman | hassan hasan hasson | hussein husayn hussain
    hossein husein hussien hossain huseyin hussin hussayn | abdullah abdallah abdulla abdalla | ali aly
    | alexander aleksandr alexandr aleksander oleksandr alexandre aliaksandr alyaksandr | alexei alexey aleksei
    aleksey oleksii oleksiy alexy | sergei sergey serhiy serhii serguei siarhei | dmitri dmitry dmitriy dmitrii dimitri
    dmytro dzmitry | yevgeny evgeny evgeniy yevgeniy evgenii yevgenii eugeny yevhen | yuri yury yuriy iurii yurii iouri
    juri | nikolai nikolay mykola mikalai nikolaj | vladimir volodymyr wladimir uladzimir vladymir | andrei andrey andriy
    andrii andrej | mikhail mykhailo mihail michail | igor ihor | oleg oleh | gennady gennadiy gennadi hennadii gennadii
    | vasily vasiliy vasili vasyl vasilii | valery valeriy valeri valerii | anatoly anatoliy anatoli anatolii
    | georgy georgiy georgi georgii heorhii | maxim maksim maksym | konstantin constantin kostiantyn | yekaterina ekaterina
    katerina | ksenia xenia kseniya | jamal gamal djamal jamaal | khalid khaled khalied
    | said saeed saed sayeed saeid sa'id | rashid rashed rachid rasheed | walid waleed oualid | omar umar omer
    | osama usama oussama ousama ussamah usamah | ibrahim ebrahim ibraheem brahim | ismail ismael esmail ismaeel esmaeil
    | suleiman sulaiman sulayman soleiman suleyman souleymane soliman | tariq tarek tareq tarik | faisal faysal feisal
    faycal | jaafar jafar ja'far djafar gaafar jaffar | abu abou aboo | nasser nasir naser naseer nassir
    | mansour mansur mansoor | saleh salih saalih | qasim qassem kassem qasem kassim kasim ghasem
    | zaynab zainab zeinab zeynab | aisha ayesha aicha aysha | fatima fatma fatimah fatemeh fatmeh
    | philip phillip | steven stephen | geoffrey jeffrey | catherine katherine kathryn
    | yasin yassin yaseen yasseen | bashir basheer bachir | abdul abdel abdal abdol abdoul abdur abder abdus abdes abd abdoel abdir | qusay qusai qusayy kusai | khamenei khamene'i
    | laden ladin | bakr | din deen eddine uddin eddin addin | rahman rehman rahmane | aziz azeez
"""
_FOLD_OF = {word.replace("'", ""): group.split()[0] for group in _SAME.split("|") for word in group.split()}
"""Spellings of frequent names that no rule joins without joining other names too."""

_RULES = (
    (re.compile("^(?:ye|ie|je)(?=[a-z]{3})"), "e"), (re.compile("(?:off|ow)$"), "ov"), (re.compile("eff$"), "ev"),
    (re.compile("tsch|tch|tsh"), "ch"), (re.compile("s(?:h?ch|h)|ch"), "sh"), (re.compile("dzh|dj|zh"), "j"),
    (re.compile("kh|qh|ck|q"), "k"), (re.compile("gh"), "g"), (re.compile("dh"), "d"), (re.compile("th"), "t"),
    (re.compile("ph"), "f"), (re.compile("x"), "ks"), (re.compile("c(?=[eiy])"), "s"), (re.compile("c"), "k"),
    (re.compile("w"), "v"), (re.compile("(?:ou|oo|ue|oe|o)"), "u"), (re.compile("a[eiy]|e[eiy]|i[ey]|[iy]y?i|iy?"), "i"),
    (re.compile("[ey]"), "i"), (re.compile("ii+"), "i"), (re.compile(r"(.)\1+"), r"\1"), (re.compile("(?<=[aiu])h$"), ""),
)  # fmt: skip
_NO_SOUND = re.compile("[aiuvy]|h$")
_FOLD_MIN = 3
_LONG = re.compile("ee|oo|ou")
_SKELETON_MIN = 2
_LIKENESS_MIN = 0.6


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Return what spellings of a word share: "Yusuf" and "Youssef", "Sergei" and "Serhii"; digits stay."""
    if len(word) < _FOLD_MIN or not word.isalpha():
        return word
    word = _FOLD_OF.get(word, word)
    for pattern, letters in _RULES:
        word = pattern.sub(letters, word)
    return word


def sounds_alike(word: str, other: str) -> bool:
    """Say whether two words of the same fold are one word: of short ones the fold leaves too little."""
    if word in _FOLD_OF and _FOLD_OF[word] == _FOLD_OF.get(other):
        return True
    return OSA.normalized_similarity(_LONG.sub(_short, word), _LONG.sub(_short, other)) >= _LIKENESS_MIN


def _short(found: re.Match[str]) -> str:
    return "i" if found[0] == "ee" else "u"


def skeleton(word: str) -> str:
    """Return the consonants of a word, as scripts without vowels have them; empty if they are too few to tell."""
    bones = fold(word.replace("zh", "z").replace("dh", "z")).replace("sh", "x")
    bones = _NO_SOUND.sub("", bones)
    return bones if len(bones) >= _SKELETON_MIN else ""
