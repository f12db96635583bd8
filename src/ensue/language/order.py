"""Putting drafts in one order of execution: requisites first, then orders, then names.

What some `prereq` names is a node twice, once for the check that runs it in test mode and once for
the run itself; where the checks stand in the order is handed on with it.

Source: measured in Salt 3008.5 (`salt/utils/requisite.py` has the keys and how checks are made).
"""

from __future__ import annotations

from itertools import islice
from operator import lt
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.graph.cycles import CycleError
from ensue.graph.dag import Edge
from ensue.graph.ordering import earliest_dependent, order_with_priorities
from ensue.language.chunks import order_numbers
from ensue.language.requested import NOTHING

if TYPE_CHECKING:
    from ensue.diagnostics import Span
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.references.lower import Bindings
    from ensue.language.requested import Requested, Words

_WEIGHTS: Final = {
    word: weight
    for weight, word in enumerate((
        "onfail", "onfail_any", "onfail_all", "arg_bind", "require", "require_any", "onchanges",
        "onchanges_any", "watch", "watch_any", "prereq",
    ))
}  # fmt: skip
"""Rank of each word when an order is chosen: a heavier one hides a lighter one that follows it."""

_LOOKED_AT: Final = {
    word: place
    for place, word in enumerate((
        "arg_bind", "require", "require_any", "watch", "watch_any", "prereq", "onfail", "onfail_any",
        "onfail_all", "onchanges", "onchanges_any", "listen", "listen_in",
    ))
}  # fmt: skip
"""The turn of each word of one state, which decides what follows what."""


class InOrder(NamedTuple):
    """An order of execution.

    Args:
        numbers: the drafts' numbers.
        checks: drafts that are checked for a `prereq`, in the order of their checks, each with the place
            in `numbers` in front of which that is.
    """

    numbers: list[int]
    checks: dict[int, int]


def put_in_order(
    drafts: list[Draft], requested: Requested, found: Collector, bindings: Bindings | None = None
) -> InOrder:
    """Return the order of execution; a cycle is a diagnostic and gives an empty order.

    Args:
        drafts: what is to be put in order.
        requested: for every draft its requisite words and the drafts they name.
        found: where faults go.
        bindings: the references behind the word `arg_bind`; None when there are none.
    """
    placed = _places(drafts)
    if placed is not None and _is_as_written(placed, placed, requested):
        return InOrder(list(range(len(drafts))), {})
    orders, pulls = order_numbers(drafts)
    if _is_as_written(orders, pulls, requested):
        return InOrder(list(range(len(drafts))), {})
    labels = [draft.label for draft in drafts]
    graph = _Graph(len(drafts))
    for number, words in enumerate(requested):
        if words:
            graph.add(number, words)
    if not graph.edges:
        numbers = sorted(range(len(drafts)), key=lambda number: (orders[number], labels[number]))
        return InOrder(numbers, {})
    for number in graph.checked:
        orders.append(orders[number])
        pulls.append(pulls[number])
        labels.append(labels[number])
    pulling = [(orders if graph.is_checked_before(edge) else pulls)[edge.after] for edge in graph.edges]
    earliest = earliest_dependent(len(orders), graph.edges, orders, pulling)
    keys = list(zip(earliest, orders, labels, strict=True))
    try:
        return graph.told_apart(order_with_priorities(len(orders), graph.edges, keys))
    except CycleError as error:
        for cycle in error.cycles:
            _report_cycle(_Tellers(drafts, bindings), graph, cycle, found)
        return InOrder([], {})


def _places(drafts: list[Draft]) -> list[float] | None:
    """Return the orders of drafts that are all numbered by place, as in most trees; None for others."""
    orders: list[float] = []
    for draft in drafts:
        order = draft.order
        if order.__class__ is not int or order < 0 or draft.name_order:
            return None
        orders.append(order)
    return orders


def _is_as_written(orders: list[float], pulls: list[float], requested: Requested) -> bool:
    """Say whether drafts are to run as they stand, without a graph: so it is with most trees.

    That is so when their numbers rise and whatever they ask for stands before them: nothing is pulled
    forward then, and who has the smallest number waits for nobody.
    """
    if not all(map(lt, orders, islice(orders, 1, None))):
        return False
    last: Words = NOTHING
    last_pull = 0.0
    for number, (words, pull) in enumerate(zip(requested, pulls, strict=True)):
        if words is last and (pull >= last_pull or words is NOTHING):
            continue  # What the one before could ask for, this one can.
        last, last_pull = words, pull
        for word, targets in words.items():
            if word == "prereq":
                return False
            if word not in ("listen", "listen_in"):
                for target in targets:
                    if target >= number or orders[target] > pull:
                        return False
    return True


class _Graph:
    """The nodes of drafts, those of checks behind them, and what comes before what.

    Args:
        count: how many drafts there are.

    Attributes:
        edges: in the order in which Salt would add them.
        checked: the drafts that have a check; the first has the node `count`.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._check_of: dict[int, int] = {}
        self._before: dict[int, list[Edge]] = {}
        self.edges: list[Edge] = []
        self.checked: list[int] = []

    def add(self, number: int, words: Words) -> None:
        """Add what one draft asks for."""
        for word in sorted(words, key=_LOOKED_AT.__getitem__) if len(words) > 1 else words:
            if word == "prereq":
                for target in words[word]:
                    self._add_prereq(number, target)
            elif word not in ("listen", "listen_in"):
                weight = _WEIGHTS[word]
                for target in words[word]:
                    self._add_edge(Edge(target, number, word, weight))

    def _add_edge(self, edge: Edge) -> None:
        """Let a draft wait for another; so does its check, whether it is there or comes later."""
        self.edges.append(edge)
        self._before.setdefault(edge.after, []).append(edge)
        if edge.after in self._check_of:
            self.edges.append(edge._replace(after=self._check_of[edge.after]))

    def _add_prereq(self, number: int, target: int) -> None:
        check = self._check_of.get(target)
        if check is None:
            check = self._check_of[target] = self._count + len(self.checked)
            self.checked.append(target)
            self.edges += [edge._replace(after=check) for edge in self._before.get(target, ())]
        self.edges.append(Edge(number, target, "prereq", _WEIGHTS["require"]))
        # The check of a state that has a prereq itself waits for the check of that, as the state does.
        self._add_edge(Edge(check, number, "prereq", _WEIGHTS["prereq"]))

    def is_checked_before(self, edge: Edge) -> bool:
        """Say whether what an edge leads to was checked, and its order worked out, before the edge counts."""
        return edge.reason == "prereq" and edge.before < self._count

    def draft_of(self, node: int) -> int:
        """Return the draft that a node runs or checks."""
        return node if node < self._count else self.checked[node - self._count]

    def told_apart(self, nodes: list[int]) -> InOrder:
        """Return an order of all nodes as one of drafts, with the places of the checks in it."""
        numbers: list[int] = []
        checks: dict[int, int] = {}
        for node in nodes:
            if node < self._count:
                numbers.append(node)
            else:
                checks[self.draft_of(node)] = len(numbers)
        return InOrder(numbers, checks)


class _Tellers(NamedTuple):
    """The drafts, and the references that bind them."""

    drafts: list[Draft]
    bindings: Bindings | None

    def step(self, teller: int, other: int, word: str) -> tuple[str, Span]:
        """Return what a draft asks of another in words, and where it says so."""
        one, asked = self.drafts[teller].declaration, self.drafts[other].declaration.id
        if word == "arg_bind" and self.bindings is not None:
            reference, span = self.bindings.step(teller, other)
            return f"{one.id} ({span}) is bound to {asked} by {reference}", span
        span = one.span(word) if word in one.arguments else one.span()
        return f"{one.id} ({span}) has `{word}` on {asked}", span


def _report_cycle(tellers: _Tellers, graph: _Graph, cycle: list[Edge], found: Collector) -> None:
    steps: list[str] = []
    places: list[tuple[Span, str]] = []
    for edge in cycle:
        before, after = graph.draft_of(edge.before), graph.draft_of(edge.after)
        # A state comes before what it names as prereq, and after the check of that.
        says_so = edge.reason == "prereq" and edge.before == before
        teller, other = (before, after) if says_so else (after, before)
        step, span = tellers.step(teller, other, edge.reason)
        steps.append(step)
        places.append((span, f"{tellers.drafts[teller].declaration.id}: {edge.reason}"))
    found.error(
        "E0502",
        "requisites form a cycle",
        places[0][0],
        detail="; ".join(steps),
        help="remove one of them",
        related=tuple(places[1:]),
    )
