"""Names that only the source text has: labels, ids, leases, jobs, codes.

They are found in the syntax trees by the calls that take them, wherever the module is. A text that is put together is
shown as a template: ``{}`` stands for a part that is known only when it runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from tests.house.source import WHEEL_ROOTS, calls, dotted, keyword, python, tree

HASHES = ("sha256", "blake2b", "hmac.digest", "fingerprint")
LABELLED = re.compile(rb"travelrule[ /]")
HOLE = "{}"
DIGESTS = ("sha256",)
LABEL = re.compile(r"[^{}]*[A-Za-z]{3}[^{}]*")


@cache
def sources() -> tuple[Path, ...]:
    return tuple(path for path in python(*WHEEL_ROOTS) if "migrations" not in path.parts)


@cache
def constants() -> dict[str, list[ast.expr]]:
    """Assignments on the first level of all modules and of all classes, by name; of classes also as ``Class.NAME``."""
    found: dict[str, list[ast.expr]] = {}
    for path in sources():
        for node in tree(path).body:
            owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
            for name, value in _assigned(node.body if isinstance(node, ast.ClassDef) else [node]):
                found.setdefault(f"{owner}{name}", []).append(value)
    return found


def _assigned(body: Collection[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        for target in targets:
            yield from _pairs(target, value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Names with their values, through tuples and choices of tuples: ``a, b = (x, y) if z else (v, w)``."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.IfExp):
        yield from _pairs(target, value.body)
        yield from _pairs(target, value.orelse)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, part in zip(target.elts, value.elts, strict=True):
            yield from _pairs(one, part)


class Texts:
    """The texts that an expression may be, within one function of one module."""

    def __init__(self, path: Path, function: ast.AST | None) -> None:
        self._module = list(_assigned(tree(path).body))
        inner = [node for node in ast.walk(function) if isinstance(node, ast.stmt)] if function else []
        self._local = list(_assigned(inner))

    def of(self, node: ast.expr | None, depth: int = 0) -> list[str]:
        if node is None or depth > 4:
            return [HOLE]
        match node:
            case ast.Constant(value=str() as text):
                return [text]
            case ast.Constant(value=bytes() as label):
                return [label.decode("latin-1").replace("\0", "\\0")]
            case ast.JoinedStr():
                parts = [self._part(part, depth) for part in node.values]
                return [re.sub(r"(\{\})+", HOLE, "".join(parts))]
            case ast.IfExp():
                return [*self.of(node.body, depth + 1), *self.of(node.orelse, depth + 1)]
            case ast.BinOp(op=ast.Add()):
                return [
                    left + right for left in self.of(node.left, depth + 1) for right in self.of(node.right, depth + 1)
                ]
            case ast.Call(func=ast.Attribute(attr="encode", value=inner)):
                return self.of(inner, depth + 1)
            case ast.Starred():
                return ["*"]
            case ast.Name() | ast.Attribute():
                return self._named(node, depth)
        return [HOLE]

    def _part(self, part: ast.expr, depth: int) -> str:
        if isinstance(part, ast.FormattedValue):
            known = self.of(part.value, depth + 1)
            return known[0] if len(known) == 1 else HOLE
        return str(part.value) if isinstance(part, ast.Constant) else HOLE

    def _named(self, node: ast.Name | ast.Attribute, depth: int) -> list[str]:
        name = dotted(node).removesuffix(".value")
        for values in (
            [value for key, value in self._local if key == name],
            [value for key, value in self._module if key == name],
            constants().get(name, []) if name.rpartition(".")[2].strip("_").isupper() else [],
        ):
            texts = [text for value in values for text in self.of(value, depth + 1)]
            if texts:
                return texts
        return [HOLE]


def _functions(path: Path) -> Iterator[tuple[ast.Call, Texts]]:
    """Every call of a module with the names that it can see."""
    whole, seen = tree(path), set()
    for node in ast.walk(whole):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            texts = Texts(path, node)
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and call not in seen:
                    seen.add(call)
                    yield call, texts
    rest = Texts(path, None)
    yield from ((call, rest) for call in calls(path) if call not in seen)


@cache
def product_calls() -> tuple[tuple[ast.Call, Texts, str], ...]:
    return tuple(
        (call, texts, dotted(call.func) or getattr(call.func, "attr", ""))
        for path in sources()
        for call, texts in _functions(path)
    )


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    return keyword(call, name) or (call.args[place] if len(call.args) > place else None)


def _found(names: tuple[str, ...], place: int, name: str = "", least: int = 0) -> Iterator[str]:
    """The known texts of one argument of the calls whose name ends so."""
    for call, texts, function in product_calls():
        if function.split(".")[-1] in names and len(call.args) + len(call.keywords) > max(place, least):
            yield from (text for text in texts.of(_argument(call, place, name)) if text != HOLE)


def sealing_uses() -> Iterator[str]:
    """What a data key seals, as the vault binds it."""
    yield from _found(("seal", "open", "_open", "_unseal"), 1, "use", least=3)
    yield from _found(("_context",), 0, "use", least=1)


def labels() -> Iterator[str]:
    """Byte strings that go into hashes, keyed hashes and signatures, or are bound by encryption."""
    for path in sources():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, bytes) and LABELLED.match(node.value):
                yield node.value.decode("latin-1").replace("\0", "\\0")
    for call, texts, function in product_calls():
        if function.endswith(HASHES):
            for argument in call.args:
                part = argument.left if isinstance(argument, ast.BinOp) else argument
                label = isinstance(part, ast.Constant | ast.Name | ast.Attribute)
                yield from (text for text in texts.of(part) if label and LABEL.fullmatch(text) and text not in DIGESTS)


def index_fields() -> Iterator[str]:
    for call, texts, function in product_calls():
        if function.endswith("index.of") and len(call.args) == 2:
            yield from (text for text in texts.of(call.args[0]) if text != HOLE)


def namespaces() -> Iterator[str]:
    for call, _, function in product_calls():
        if function == "UUID" and call.args and isinstance(call.args[0], ast.Constant):
            yield str(call.args[0].value)


def uuid_names() -> Iterator[str]:
    """The names under uuid5: of ``stable_id`` all parts in their order."""
    for call, texts, function in product_calls():
        if function == "stable_id":
            yield " | ".join(" or ".join(sorted(texts.of(part))) for part in call.args)
        elif function == "uuid5":
            yield from (text for text in texts.of(call.args[1]) if text != HOLE)


def input_ids() -> Iterator[str]:
    """How the ids of internal inputs are made: source and path, id, type."""
    for call, texts, function in product_calls():
        if function == "internal_input":
            source, identity, kind = (" or ".join(sorted(texts.of(_argument(call, *at)))) for at in _INPUT)
            path = " or ".join(sorted(texts.of(keyword(call, "path")))) if keyword(call, "path") else ""
            yield f"{source} {path}# {identity} {kind}"


_INPUT = ((0, "source"), (1, "input_id"), (2, "kind"))


def subjects(kinds: Collection[str]) -> Iterator[str]:
    """Templates of subjects: texts that are put together and begin with a kind."""
    wanted = re.compile(rf"(?:{'|'.join(map(re.escape, kinds))}|deadletter):.*")
    for path in sources():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
                if wanted.fullmatch(text) and " " not in text:
                    yield text


def leases() -> Iterator[str]:
    """The names under which a process takes a lease."""
    for name, values in constants().items():
        if name.rpartition(".")[2] == "LEASE":
            yield from (str(value.value) for value in values if isinstance(value, ast.Constant))
    for call, texts, function in product_calls():
        if function.endswith(("PeriodicJob", "log.info")):
            yield from (text for text in texts.of(keyword(call, "lease")) if text != HOLE)
    yield from _found(("PeriodicJob",), 1)


def jobs() -> Iterator[str]:
    """The values of the label ``job``."""
    yield from _found(("PeriodicJob", "Outage"), 0, "name")


def notifications() -> Iterator[str]:
    """The channel of NOTIFY, and the words that it carries."""
    for path in sources():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "pg_notify(" in node.value:
                yield from re.findall(r"'(\w+)'", node.value)
    for call, texts, function in product_calls():
        if function == "_what":
            yield from (part.arg for part in call.keywords if part.arg)
        elif function.endswith("add_listener"):
            yield from texts.of(call.args[0])


def alert_codes() -> Iterator[str]:
    yield from (code for code in _found(("Alert",), 0, "code") if code.isupper())
    yield from _members("AlertCode")


def _members(name: str) -> Iterator[str]:
    for path in sources():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and node.name == name:
                yield from (str(value.value) for _, value in _assigned(node.body) if isinstance(value, ast.Constant))


CODE = re.compile(r"(?!SQLITE_|TCP_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def codes(others: Collection[str]) -> Iterator[str]:
    """Every code in capitals that the program writes: of errors, refusals, reasons, results. ``others`` are none."""
    for path in sources():
        exported = {
            inner for name, value in _assigned(tree(path).body) if name == "__all__" for inner in ast.walk(value)
        }
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in exported:
                yield from ([node.value] if CODE.fullmatch(node.value) and node.value not in others else [])


def timers() -> Iterator[str]:
    """The names of timers, which are keys in stored states and values of ``due_timer``."""
    for call, texts, function in product_calls():
        if function.endswith(("set_timer", "clear_timer", "keep_timer")) and call.args:
            yield from (text for text in texts.of(call.args[0]) if text != HOLE)
        timers = keyword(call, "timers")
        if isinstance(timers, ast.Dict):
            yield from (text for key in timers.keys if key is not None for text in texts.of(key) if text != HOLE)
    yield from _found(("Projection",), 5, "due_timer", least=-1)


def effect_literals() -> Iterator[str]:
    """The closed words of calls to the hub and of look-ups."""
    yield from (word for word in _literals({"operation", "question"}) if word.islower())


def _literals(names: Collection[str]) -> Iterator[str]:
    """The words of ``Literal`` types under these names: fields, parameters, aliases."""
    for path in sources():
        for node in ast.walk(tree(path)):
            name, annotation = _annotated(node)
            if name.lower() in names and annotation is not None:
                yield from (
                    part.value
                    for inner in ast.walk(annotation)
                    if isinstance(inner, ast.Subscript) and dotted(inner.value) == "Literal"
                    for part in ast.walk(inner.slice)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value
                )


def _annotated(node: ast.AST) -> tuple[str, ast.expr | None]:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name, node.annotation
        case ast.arg():
            return node.arg, node.annotation
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name, node.value
    return "", None


LABELS = ("outcome", "result", "status", "reason", "side", "outcomestatus")
"""What carries a closed value that becomes the value of a label: fields, parameters and aliases of ``Literal``."""


def label_values() -> Iterator[str]:
    """Closed label values: of ``Literal`` types, and written out where a metric is counted."""
    yield from (f"label value {word}" for word in _literals(LABELS))
    for call, texts, function in product_calls():
        parts = [*call.args, *(part.value for part in call.keywords)] if function.endswith(".labels") else []
        if function.endswith("Observation"):
            parts = [value for one in call.args if isinstance(one, ast.Dict) for value in one.values]
        yield from (f"label value {text}" for part in parts for text in texts.of(part) if text not in {HOLE, ""})


STORING = ("travelrule/engine/", "travelrule/store/", "travelrule/machine/", "travelrule/crypto/")


def stored_keys() -> Iterator[str]:
    """Keys of the JSON documents that no model describes: sealed calls, wallets, envelopes, audit records.

    A document is known by its first key.
    """
    for path in sources():
        if str(path).startswith(STORING):
            for call, function in _in_functions(path):
                if dotted(call.func) == "orjson.dumps":
                    yield from _document(call.args[0], function, path)


def _in_functions(path: Path) -> Iterator[tuple[ast.Call, ast.AST]]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ((call, node) for call in ast.walk(node) if isinstance(call, ast.Call))


def _document(node: ast.expr, function: ast.AST, path: Path) -> Iterator[str]:
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        yield from (f"{keys[0]}: {key}" for key in keys)
        return
    if isinstance(node, ast.Call):
        for inner in _returns(dotted(node.func).split(".")[-1]):
            yield from _document(inner, function, path)
    if isinstance(node, ast.Name):
        statements = [inner for inner in ast.walk(function) if isinstance(inner, ast.stmt)]
        dicts = [value for name, value in _assigned(statements) if name == node.id and isinstance(value, ast.Dict)]
        for inner in dicts:
            yield from _document(inner, function, path)
        if dicts and isinstance(dicts[0].keys[0], ast.Constant):
            yield from (f"{dicts[0].keys[0].value}: {key}" for key in _added(node.id, statements))


def _added(name: str, statements: Collection[ast.stmt]) -> Iterator[str]:
    """Keys that are set afterwards: ``name["key"] = ...``."""
    for node in statements:
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner), slice=ast.Constant(value=key))]):
                if owner == name:
                    yield str(key)


def _returns(function: str) -> Iterator[ast.Dict]:
    for path in sources():
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                yield from (
                    one.value
                    for one in ast.walk(node)
                    if isinstance(one, ast.Return) and isinstance(one.value, ast.Dict)
                )
