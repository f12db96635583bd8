"""Puts drafts in an order of execution: by requisites, then by `order`, then by name.

A state that a `prereq` names has two nodes: one for the check that runs it in test mode, and one for the
run itself. The result also says where in the order the checks are.

Source: measured in Salt 3008.5 (`salt/utils/requisite.py` has the keys and how checks are made).
"""

from __future__ import annotations

from itertools import islice
from operator import lt
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.engine.graph.cycles import CycleError
from ensue.engine.graph.dag import Edge
from ensue.engine.graph.ordering import earliest_dependent, order_with_priorities
from ensue.language.chunks import order_numbers
from ensue.language.requested import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ensue.core.diagnostics import Span
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.references.lower import Bindings
    from ensue.language.requested import Requested, Words

    Reacts: TypeAlias = "Callable[[str], object]"

_WEIGHTS: Final = {
    word: weight
    for weight, word in enumerate((
        "onfail", "onfail_any", "onfail_all", "arg_bind", "require", "require_any", "onchanges",
        "onchanges_any", "watch", "watch_any", "prereq",
    ))
}  # fmt: skip
"""Rank of each word in the choice of an order: a heavier word hides a lighter one that follows it."""

_LOOKED_AT: Final = {
    word: place
    for place, word in enumerate((
        "arg_bind", "require", "require_any", "watch", "watch_any", "prereq", "onfail", "onfail_any",
        "onfail_all", "onchanges", "onchanges_any", "listen", "listen_in",
    ))
}  # fmt: skip
"""Position of each requisite word within one state, which decides the order of its edges."""

_REQUIRED_FOR: Final = {"watch": "require", "watch_any": "require_any"}
"""What a word counts as in a state whose module has no function for changes of a watched state."""


class InOrder(NamedTuple):
    """An order of execution.

    Args:
        numbers: the drafts' numbers.
        checks: drafts that are checked for a `prereq`, in the order of their checks, each with the index in
            `numbers` before which it is checked.
    """

    numbers: list[int]
    checks: dict[int, int]


def put_in_order(
    drafts: list[Draft],
    requested: Requested,
    collector: Collector,
    reacts: Reacts,
    bindings: Bindings | None = None,
) -> InOrder:
    """Return the order of execution; a cycle is reported and gives an empty order.

    Args:
        drafts: the drafts to put in order.
        requested: for each draft, its requisite words and the drafts they name.
        collector: collects the errors.
        reacts: returns whether a module has a function for what `watch` reports; in others, `watch` has the
            rank of `require`.
        bindings: the references that became `arg_bind`; None without references.
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
            graph.add(number, words if reacts(drafts[number].declaration.module) else _as_required(words))
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
            _report_cycle(_Tellers(drafts, bindings), graph, cycle, collector)
        return InOrder([], {})


def _places(drafts: list[Draft]) -> list[float] | None:
    """Return the orders of drafts that all have a number, as in most trees; None for others."""
    orders: list[float] = []
    for draft in drafts:
        order = draft.order
        if order.__class__ is not int or order < 0 or draft.name_order:
            return None
        orders.append(order)
    return orders


def _is_as_written(orders: list[float], pulls: list[float], requested: Requested) -> bool:
    """Return whether drafts run in the order they are written, without a graph; true of most trees.

    That is so if their numbers rise and everything they name comes before them. Then nothing is pulled
    forward, and the draft with the smallest number waits for none.
    """
    if not all(map(lt, orders, islice(orders, 1, None))):
        return False
    last: Words = NOTHING
    last_pull = 0.0
    for number, (words, pull) in enumerate(zip(requested, pulls, strict=True)):
        if words is last and (pull >= last_pull or words is NOTHING):
            continue  # This draft can name all that the draft before it could.
        last, last_pull = words, pull
        for word, targets in words.items():
            if word == "prereq":
                return False
            if word not in ("listen", "listen_in"):
                for target in targets:
                    if target >= number or orders[target] > pull:
                        return False
    return True


def _as_required(words: Words) -> Words:
    """Return the words of a draft whose module does not react: `watch` counts as `require`, after those."""
    if _REQUIRED_FOR.keys().isdisjoint(words):
        return words
    required = {word: targets for word, targets in words.items() if word not in _REQUIRED_FOR}
    for word, weaker in _REQUIRED_FOR.items():
        if word in words:
            required[weaker] = {**required.get(weaker, {}), **words[word]}
    return required


class _Graph:
    """The nodes of the drafts, then the nodes of checks, with the edges between them.

    Args:
        count: how many drafts there are.

    Attributes:
        edges: the edges, in the order in which Salt adds them.
        checked: the drafts that have a check; the first has the node `count`.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._check_of: dict[int, int] = {}
        self._before: dict[int, list[Edge]] = {}
        self.edges: list[Edge] = []
        self.checked: list[int] = []

    def add(self, number: int, words: Words) -> None:
        """Add the requisites of one draft."""
        for word in sorted(words, key=_LOOKED_AT.__getitem__) if len(words) > 1 else words:
            if word == "prereq":
                for target in words[word]:
                    self._add_prereq(number, target)
            elif word not in ("listen", "listen_in"):
                weight = _WEIGHTS[word]
                for target in words[word]:
                    self._add_edge(Edge(target, number, word, weight))

    def _add_edge(self, edge: Edge) -> None:
        """Make a draft, and its check, wait for another draft; the check may be added later."""
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
        # If a checked state has a `prereq` itself, its check waits for the check that this names.
        self._add_edge(Edge(check, number, "prereq", _WEIGHTS["prereq"]))

    def is_checked_before(self, edge: Edge) -> bool:
        """Return whether the end of an edge was checked, and its order known, before the edge counts."""
        return edge.reason == "prereq" and edge.before < self._count

    def draft_of(self, node: int) -> int:
        """Return the draft that a node runs or checks."""
        return node if node < self._count else self.checked[node - self._count]

    def told_apart(self, nodes: list[int]) -> InOrder:
        """Return an order of all nodes as an order of drafts and the places of the checks in it."""
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
        """Describe the requisite of a draft on another, and return its place."""
        declaration, asked = self.drafts[teller].declaration, self.drafts[other].declaration.id
        if word == "arg_bind" and self.bindings is not None:
            reference, span = self.bindings.step(teller, other)
            return f"{declaration.id} ({span}) is bound to {asked} by {reference}", span
        span = declaration.span(word) if word in declaration.arguments else declaration.span()
        return f"{declaration.id} ({span}) has `{word}` on {asked}", span


def _report_cycle(tellers: _Tellers, graph: _Graph, cycle: list[Edge], collector: Collector) -> None:
    steps: list[str] = []
    places: list[tuple[Span, str]] = []
    for edge in cycle:
        before, after = graph.draft_of(edge.before), graph.draft_of(edge.after)
        # A state comes before the state that it names as `prereq`, and after that state's check.
        says_so = edge.reason == "prereq" and edge.before == before
        teller, other = (before, after) if says_so else (after, before)
        step, span = tellers.step(teller, other, edge.reason)
        steps.append(step)
        places.append((span, f"{tellers.drafts[teller].declaration.id}: {edge.reason}"))
    collector.error(
        "E0502",
        "requisites form a cycle",
        places[0][0],
        detail="; ".join(steps),
        help="remove one of them",
        related=tuple(places[1:]),
    )
