"""Which sets of targets a template or a function asks for, and what they were at that moment.

A run registers resources while it goes on, so an answer may lack a resource that joins later. In a plan
nothing joins: there an answer is not known if the target may match what an earlier state would register.

The questions of a rendering or call belong to the `TargetQuestions` around it. They go through a context
variable, because they are asked below templates and plug-ins, in threads as well.
"""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping, Sequence
    from types import FrameType

    from ensue.core.diagnostics import Span
    from ensue.core.model.srn import Srn

_MOST_NAMED: Final = 3


class TargetQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question that the answers of one place belong to.

    Args:
        function: the function that asks, `mine.get`.
        target: the target, as a compound expression.
        place: where a file that is rendered calls the function; None if none is rendered.
    """

    function: str
    target: str
    place: Span | None = None

    def __str__(self) -> str:
        """Return the call as messages show it, `mine.get('N@web')`."""
        return f"{self.function}({self.target!r})"


class SetAnswers(NamedTuple):
    """The answers to one question in a run.

    Args:
        always: the resources that were in all of them.
        ever: those that were in any of them.
        possible: those that may be in all of them. In a plan that includes what an apply registers before it
            answers, or after that, if nothing orders the two.
    """

    always: frozenset[Srn]
    ever: frozenset[Srn]
    possible: frozenset[Srn]


def _nothing_to_come(_target: str, _matched: Collection[Srn]) -> Mapping[Srn, bool]:
    return {}


class TargetQuestions:
    """The questions of one rendering or call.

    `answers` has the answers to each question; in a plan they include what would be registered by states that
    an apply orders before it. `waits_for` says why an answer is not known; empty if all are.

    Args:
        answers: where the answers are recorded.
        to_come: returns, in a plan, the resources that a state would register before and that a target may
            match, of those that it does not match now, each with whether an apply orders it so.
    """

    def __init__(
        self,
        answers: dict[TargetQuestion, SetAnswers],
        to_come: Callable[[str, Collection[Srn]], Mapping[Srn, bool]] = _nothing_to_come,
    ) -> None:
        self.answers = answers
        self.waits_for = ""
        self._to_come = to_come

    def note(self, question: TargetQuestion, matched: Sequence[Srn]) -> None:
        """Record an answer.

        Raises:
            StateFailedError: the answer is known after an apply.
        """
        coming = self._to_come(question.target, matched)
        ordered = (srn for srn, is_ordered in coming.items() if is_ordered)
        answer, before = frozenset((*matched, *ordered)), self.answers.get(question)
        possible = answer.union(coming)
        self.answers[question] = (
            SetAnswers(answer, answer, possible)
            if before is None
            else SetAnswers(before.always & answer, before.ever | answer, before.possible & possible)
        )
        if coming:
            self.waits_for = _reason(question, [*coming])
            raise StateFailedError(f"{self.waits_for} (known after apply)")


def _reason(question: TargetQuestion, coming: Sequence[Srn]) -> str:
    named = ", ".join(map(str, coming[:_MOST_NAMED]))
    more = f" and {len(coming) - _MOST_NAMED} more" if len(coming) > _MOST_NAMED else ""
    return f"{question} may also match {named}{more}, which this run registers"


_current: Final[ContextVar[TargetQuestions | None]] = ContextVar("target_questions", default=None)
_file: Final[ContextVar[str]] = ContextVar("rendered_file", default="")
_caller: Final[ContextVar[FrameType | None]] = ContextVar("calling_frame", default=None)


@contextlib.contextmanager
def questions_of_run() -> Generator[Mapping[TargetQuestion, SetAnswers]]:
    """Record the questions of a run; yields the answers to each."""
    answers: dict[TargetQuestion, SetAnswers] = {}
    token = _current.set(TargetQuestions(answers))
    try:
        yield answers
    finally:
        _current.reset(token)


@contextlib.contextmanager
def questions_of_plan(
    to_come: Callable[[str, Collection[Srn]], Mapping[Srn, bool]],
) -> Generator[TargetQuestions]:
    """Record the questions of a rendering or a call of a plan.

    Args:
        to_come: see `TargetQuestions`.
    """
    outer = _current.get()
    questions = TargetQuestions({} if outer is None else outer.answers, to_come)
    token = _current.set(questions)
    try:
        yield questions
    finally:
        _current.reset(token)


@contextlib.contextmanager
def rendering(path: str) -> Generator[None]:
    """Remember the file that is rendered, for the place of the questions of renderers without templates.

    Args:
        path: the file, as messages show it.
    """
    token = _file.set(path)
    try:
        yield
    finally:
        _file.reset(token)


def rendered_file() -> str:
    """Return the file that is rendered, as messages show it; empty outside of a rendering."""
    return _file.get()


@contextlib.contextmanager
def called_from(frame: FrameType | None) -> Generator[None]:
    """Remember the frame of a template that calls a function, for the place of its questions."""
    token = _caller.set(frame)
    try:
        yield
    finally:
        _caller.reset(token)


def calling_frame() -> FrameType | None:
    """Return the frame that `called_from` has remembered; None outside of a call of a template."""
    return _caller.get()


def note_answer(question: TargetQuestion, matched: Sequence[Srn]) -> None:
    """Record the targets that a question was answered with, if a run goes on.

    Raises:
        StateFailedError: this is a plan, and the answer is known after an apply.
    """
    questions = _current.get()
    if questions is not None:
        questions.note(question, matched)
