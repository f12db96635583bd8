"""Random trees: small SLS whose states refer to each other with every requisite of the language.

They are made from a number alone, so that a tree with a difference can be made again. They use functions
of `test` only: what is compared is requisites and order, not what functions do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import yaml

_FUNCTIONS: Final = (
    "nop", "nop", "nop", "succeed_without_changes", "succeed_with_changes", "succeed_with_changes",
    "succeed_with_changes", "fail_without_changes", "fail_with_changes",
)  # fmt: skip
_REQUISITES: Final = (
    "require", "require", "watch", "watch", "onchanges", "onfail", "prereq", "listen", "use",
    "require_any", "watch_any", "onchanges_any", "onfail_any", "onfail_all",
)  # fmt: skip
_REVERSED: Final = ("require_in", "watch_in", "onchanges_in", "onfail_in", "prereq_in", "listen_in", "use_in")
_ORDERS: Final = (1, 2, 50, 10001, -1, -2, "first", "last")
_CONDITIONS: Final = (
    {"unless": "true"},
    {"unless": "false"},
    {"onlyif": "false"},
    {"onlyif": "true"},
)


@dataclass(slots=True)
class Declared:
    """One declaration of a random tree.

    Args:
        id: its ID.
        function: of the module `test`.
        options: arguments and options.
        requisites: keyword, and reference, in the order in which they are written.
        sls: the file that it is in.
    """

    id: str
    function: str
    options: dict[str, Any] = field(default_factory=dict)
    requisites: list[tuple[str, Any]] = field(default_factory=list)
    sls: str = "t"

    def as_data(self) -> dict[str, Any]:
        """Return the data below the ID."""
        arguments: list[dict[str, Any]] = [{key: value} for key, value in self.options.items()]
        by_keyword: dict[str, list[Any]] = {}
        for keyword, reference in self.requisites:
            by_keyword.setdefault(keyword, []).append(reference)
        arguments += [{keyword: references} for keyword, references in by_keyword.items()]
        return {f"test.{self.function}": arguments}


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomTree:
    """A random tree.

    Args:
        number: what it was made from.
        declared: its declarations, in the order of their files.
        includes: whether the file `t` includes the file `u`.
        test: it is run as a plan.
    """

    number: int
    declared: tuple[Declared, ...]
    includes: bool = False
    test: bool = False

    def files(self, prefix: str) -> dict[str, str]:
        """Return the SLS files by name; the one to run is `PREFIX.t`."""
        texts = {}
        for sls in ("t", "u") if self.includes else ("t",):
            data: dict[str, Any] = {"include": [".u"]} if sls == "t" and self.includes else {}
            data |= {
                declaration.id: declaration.as_data()
                for declaration in self.declared
                if declaration.sls == sls
            }
            text = yaml.safe_dump(data, sort_keys=False, default_flow_style=None)
            texts[sls] = f"#!yaml\n{text}".replace("@SLS@", prefix)
        return texts


def random_tree(number: int) -> RandomTree:
    """Make a tree from a number."""
    random = Random(number)  # noqa: S311 (nothing to guess here)
    includes = random.random() < 0.2
    free = random.random() < 0.25
    count = random.randint(2, random.choice((4, 6, 9)))
    declared = [_declared(random, f"s{place}") for place in range(count)]
    if includes:
        for declaration in declared:
            declaration.sls = random.choice("tu")
    standing = list(declared)
    random.shuffle(standing)
    has_other_file = any(declaration.sls == "u" for declaration in declared)
    for place, declaration in enumerate(standing):
        _ask(random, declaration, declared if free else standing[:place], includes=has_other_file)
    _use_plainly(declared)
    _chain_forward(declared)
    return RandomTree(number=number, declared=tuple(declared), includes=includes, test=random.random() < 0.25)


def _declared(random: Random, identifier: str) -> Declared:
    declaration = Declared(identifier, random.choice(_FUNCTIONS))
    if random.random() < 0.15:
        declaration.options["order"] = random.choice(_ORDERS)
    if random.random() < 0.1:
        declaration.options |= random.choice(_CONDITIONS)
    if random.random() < 0.05:
        declaration.options["failhard"] = True
    if random.random() < 0.15:
        declaration.options["name"] = f"name-{identifier}"
    elif random.random() < 0.08:
        declaration.options["names"] = [f"{identifier}-x", f"{identifier}-y"]
    return declaration


def _use_plainly(declared: list[Declared]) -> None:
    """Let `use` copy no requisites: Salt copies some kinds of them and not others, see requisites.md."""
    if any(keyword in ("use", "use_in") for declaration in declared for keyword, _ in declaration.requisites):
        copied = {
            "require_any",
            "watch_any",
            "onchanges_any",
            "onfail_any",
            "onfail_all",
            "listen",
            "listen_in",
        }
        for declaration in declared:
            declaration.requisites = [asked for asked in declaration.requisites if asked[0] not in copied]


def _chain_forward(declared: list[Declared]) -> None:
    """Let chains of prereq be declared in their order: Salt's outcome depends on that."""
    place_of = {declaration.id: place for place, declaration in enumerate(declared)}
    pairs = [
        (declaration, asked, *((other, declaration) if asked[0] == "prereq_in" else (declaration, other)))
        for declaration in declared
        for asked in declaration.requisites
        if asked[0] in ("prereq", "prereq_in")
        for other in _meant(declared, asked[1])
    ]
    for declaration, asked, first, second in pairs:
        goes_on = any(other is second for _, _, other, _ in pairs)
        backward = first.sls != second.sls or place_of[first.id] > place_of[second.id]
        if goes_on and backward and asked in declaration.requisites:
            declaration.requisites.remove(asked)
    _leave_checked_alone(declared, {second.id for *_, second in pairs})


def _leave_checked_alone(declared: list[Declared], checked: set[str]) -> None:
    """Let no prereq'd state listen: Salt loses the listener of a state that its check kept from running."""
    for declaration in declared:
        declaration.requisites = [
            asked
            for asked in declaration.requisites
            if not (asked[0] == "listen" and declaration.id in checked)
            and not (asked[0] == "listen_in" and any(m.id in checked for m in _meant(declared, asked[1])))
        ]


def _meant(declared: list[Declared], reference: Any) -> list[Declared]:
    """Return the declarations that a reference names."""
    name = next(iter(reference.values())) if isinstance(reference, dict) else reference
    if name == "@SLS@.u":
        return [declaration for declaration in declared if declaration.sls == "u"]
    return [
        declaration
        for declaration in declared
        if name in (declaration.id, declaration.options.get("name"), *declaration.options.get("names", ()))
    ]


def _ask(random: Random, declaration: Declared, others: list[Declared], *, includes: bool) -> None:
    """Add requisites between a declaration and some others, in either direction."""
    for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3))):
        others = [other for other in others if other is not declaration]
        if not others:
            return
        other = random.choice(others)
        if random.random() < 0.2:
            # The other end is named by its ID: Salt refuses or crashes on all else, see requisites.md.
            keyword = random.choice(_REVERSED)
            bare = keyword != "listen_in" and random.random() < 0.5
            other.requisites.append((keyword, declaration.id if bare else {"test": declaration.id}))
        elif includes and declaration.sls == "t" and random.random() < 0.15:
            keyword = random.choice([word for word in _REQUISITES if word not in ("listen", "use")])
            declaration.requisites.append((keyword, {"sls": "@SLS@.u"}))
        else:
            keyword = random.choice(_REQUISITES)
            by_id = keyword in ("listen", "use")
            declaration.requisites.append((keyword, {"test": other.id} if by_id else _named(random, other)))


def _named(random: Random, declaration: Declared) -> Any:
    """Return one of the ways to name a declaration."""
    forms: list[Any] = [
        declaration.id,
        {"test": declaration.id},
        {"test": declaration.id},
        {"id": declaration.id},
    ]
    if "name" in declaration.options:
        forms.append({"test": declaration.options["name"]})
    if "names" in declaration.options:
        forms += [{"test": declaration.options["names"][0]}]
    return random.choice(forms)
