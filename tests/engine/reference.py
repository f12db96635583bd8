"""The expected outcome of a plan, evaluated one state after the other: no loop, no tasks, no time.

The engine may start states in another order and concurrently; each state must have the same outcome.
It is as naive as possible, and shares no code with the engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Outcome = tuple[object, bool, str]
"""Result, whether anything changed, and the comment."""


@dataclass
class Step:
    """One state: what its function returns at each attempt, and its requisites."""

    id: str
    says: list[tuple[bool, bool]] = field(default_factory=lambda: [(True, False)])
    requisites: dict[str, list[str]] = field(default_factory=dict)
    retries: bool = False
    delayed: list[str] = field(default_factory=list)
    applies: str = ""


@dataclass
class Known:
    """What is known of one state."""

    outcome: Outcome
    ran: bool = True


class Reference:
    """One evaluation.

    Args:
        blocks: what can be rendered, by name.
        test: whether it is a plan.
    """

    def __init__(self, blocks: Mapping[str, list[Step]], *, test: bool) -> None:
        self.blocks = blocks
        self.test = test
        self.outcomes: dict[tuple[str, str], Outcome] = {}

    def scope(self, path: str, steps: list[Step]) -> bool:
        """Evaluate a scope and all below it; return whether none of its states failed."""
        known: dict[str, Known] = {}
        checks: dict[str, Known] = {}
        by_id = {step.id: step for step in steps}
        for step in steps:
            for prepared in step.requisites.get("prereq", ()):
                if prepared not in checks:
                    checks[prepared] = _check(by_id[prepared], known, checks, test=self.test)
            asks = dict(step.requisites)
            if preparers := [
                preparer.id for preparer in steps if step.id in preparer.requisites.get("prereq", ())
            ]:
                asks["require "] = preparers
            known[step.id] = self._one(
                path, step, _strongest(_words(asks, known, checks, test=self.test)), checks.get(step.id)
            )
            self.outcomes[path, step.id] = known[step.id].outcome
            self._grow(path, step, known[step.id].outcome[0])
        for step in steps:
            heard = [known[id_].outcome for id_ in step.requisites.get("listen", ())]
            if any(changes for _, changes, _ in heard):
                self.outcomes[path, f"listener_{step.id}"] = (True, True, "watched")
            elif any(comment in OPEN for _, _, comment in heard):
                self.outcomes[path, f"listener_{step.id}"] = _skipped("may change")
        return all(known[step.id].outcome[0] is not False for step in steps)

    def _one(self, path: str, step: Step, verdict: str, check: Known | None) -> Known:
        if check is not None and not check.ran:
            return check
        if verdict == "fail" and check is not None:
            return Known((check.outcome[0], False, check.outcome[2]))
        if verdict not in ("met", "change", "may react"):
            return Known(_skipped(verdict), ran=False)
        outcome = _call(step, test=self.test)
        if step.applies and not self.scope(
            _below(path, step, f"on-{step.applies}"), self.blocks[step.applies]
        ):
            outcome = (False, False, "applied")
        if verdict == "change" and not outcome[1]:
            outcome = (True, True, "watched")
        if verdict == "may react" and outcome[:2] == (True, False):
            outcome = _skipped(verdict)
        return Known(outcome)

    def _grow(self, path: str, step: Step, result: object) -> None:
        if result is not True:
            return
        for number, name in enumerate(step.delayed):
            repeated = step.delayed[:number].count(name)
            self.scope(_below(path, step, f"{name}#{repeated + 1}" if repeated else name), self.blocks[name])


def evaluate(
    steps: list[Step], blocks: Mapping[str, list[Step]], *, test: bool
) -> dict[tuple[str, str], Outcome]:
    """Return the outcome of every state of every scope, by (scope, ID)."""
    reference = Reference(blocks, test=test)
    reference.scope("", steps)
    return reference.outcomes


def _below(path: str, step: Step, name: str) -> str:
    return f"{path}/{step.id}/{name}".lstrip("/")


OPEN = ("may fail", "may change", "may prepare", "may react")
"""What a plan says of states that only an apply decides about."""


def _check(step: Step, known: dict[str, Known], checks: dict[str, Known], *, test: bool) -> Known:
    verdict = _strongest(_words(step.requisites, known, checks, test=test))
    if verdict in ("met", "change"):
        return Known(_call(step, test=True))
    return Known(_skipped(verdict), ran=False)


def _call(step: Step, *, test: bool) -> Outcome:
    attempts = step.says if step.retries and not test else step.says[:1]
    outcome: Outcome = (None, False, "")
    for result, changes in attempts:
        outcome = (None if test and changes else result, changes, "called")
        if outcome[0] is True:
            break
    return outcome


def _skipped(verdict: str) -> Outcome:
    if verdict in OPEN:
        return (None, False, verdict)
    return (verdict != "fail", False, verdict)


def _words(
    requisites: Mapping[str, list[str]], known: dict[str, Known], checks: dict[str, Known], *, test: bool
) -> set[str]:
    everything: set[str] = set()
    for keyword, ids in requisites.items():
        kind = keyword.strip().removesuffix("_any").removesuffix("_all")
        words = {_word(kind, (checks if kind == "prereq" else known)[each], test=test) for each in ids}
        if kind == "watch" and any(known[each].ran and known[each].outcome[0] is not False for each in ids):
            words.add("met")
        if keyword.endswith("_any") or keyword == "onfail":
            if words & {"met", "change"}:
                words.discard("fail")
            if "onchangesmet" in words:
                words -= {"onchanges", "may change"}
            if "met" in words:
                words -= {"onfail", "may fail"}
            if "may fail" in words:
                words.discard("onfail")
        if keyword.endswith("_all") and "onfail" in words:
            words.discard("met")
        everything |= words
    return everything


def _word(kind: str, state: Known, *, test: bool) -> str:  # noqa: C901, PLR0911 - one line a rule
    result, changes, _ = state.outcome
    if kind == "listen":
        return ""
    if kind == "onchanges" and state.outcome[2] in OPEN:
        return "may change"
    if kind == "onchanges":
        return "onchangesmet" if changes and result is not False else "onchanges"
    if kind == "onfail" and result is True:
        return "onfail"
    if kind == "onfail" and result is None and test:
        return "may fail"
    if kind != "onfail" and result is False:
        return "fail"
    if kind == "prereq" and state.outcome[2] in OPEN:
        return "may prepare"
    if kind == "prereq":
        return "premet" if result is None else "pre"
    if kind == "watch" and state.outcome[2] in OPEN:
        return "may react"
    if kind == "watch" and changes:
        return "change"
    return "met" if state.ran else ""


def _strongest(words: set[str]) -> str:
    if "fail" in words:
        return "fail"
    if "may prepare" in words and "premet" not in words:
        return "may prepare"
    if "pre" in words:
        return "met" if "premet" in words else "pre"
    for word in ("onfail", "may fail", "may change", "onchanges"):
        if word in words and "onchangesmet" not in words:
            return word
    if "change" in words:
        return "change"
    return next((word for word in ("onfail", "may fail", "may react") if word in words), "met")
