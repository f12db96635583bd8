"""Functions that give data of a target: external pillars, or master tops, of a project's files or of Salt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import EnsueError
from ensue.core.model.data_bounds import DataBoundError
from ensue.language.collector import near_names
from ensue.language.custom.dunders import calling
from ensue.language.targeting import NotKnownError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.collector import Collector
    from ensue.language.custom.folders import CustomFiles

_Result = TypeVar("_Result")


class SourceKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of such functions.

    Args:
        code: the code of its diagnostics.
        title: what one is called.
        option: the option of `ensue.yaml` that lists them.
        function: the name of the function in its file.
        form: how a project writes one of its own, with `NAME` for its name.
    """

    code: str
    title: str
    option: str
    function: str
    form: str

    def failed(self, name: str, why: str) -> Diagnostic:
        """Return the error for a function that failed."""
        help_ = f"fix it, or remove it from {self.option} in ensue.yaml"
        return Diagnostic(code=self.code, summary=f"the {self.title} {name!r} failed", detail=why, help=help_)


class SourceFunctions:
    """The functions of one kind for one target.

    Args:
        kind: their kind.
        files: the project's files of this kind.
        surroundings: makes the globals of a call.
        of_salt: returns Salt's function of a name, for these globals; None if there is none.
        hint: what a user may do about a missing function.
    """

    def __init__(
        self,
        kind: SourceKind,
        files: CustomFiles,
        surroundings: Callable[[], Mapping[str, Any]],
        of_salt: Callable[[str, Mapping[str, Any]], Callable[..., Any] | None],
        hint: str,
    ) -> None:
        self._kind = kind
        self._files = files
        self._surroundings = surroundings
        self._of_salt = of_salt
        self._hint = hint

    def called(
        self,
        name: str,
        collector: Collector,
        call: Callable[[Callable[..., Any], Mapping[str, Any]], _Result],
    ) -> _Result | None:
        """Return what a function gives; None if there is none or it fails, which is reported.

        Args:
            name: its name.
            collector: receives the error.
            call: calls the function, with the globals of the call.
        """
        try:
            surroundings = self._surroundings()
            function = self._function(name, surroundings, collector)
            if function is None:
                return None
            with calling(surroundings):
                return call(function, surroundings)
        except NotKnownError:
            raise
        except (EnsueError, DataBoundError) as error:
            collector.add([self._kind.failed(name, str(error))])
        except Exception as error:  # noqa: BLE001 -- a plug-in call
            collector.add([self._kind.failed(name, f"{type(error).__name__}: {error}")])
        return None

    def _function(
        self, name: str, surroundings: Mapping[str, Any], collector: Collector
    ) -> Callable[..., Any] | None:
        refusals: list[str] = []
        for loaded in self._files.of(name):
            if loaded.refusal:
                refusals.append(str(loaded))
            elif function := loaded.functions.get(self._kind.function):
                return function
        if not refusals and (of_salt := self._of_salt(name, surroundings)):
            return of_salt
        hint = self._hint
        missing = "" if hint else "Salt has none of this name that loads on this machine"
        form = f"write {self._kind.form.replace('NAME', name)} below a file root"
        collector.add([
            Diagnostic(
                code=self._kind.code,
                summary=f"there is no {self._kind.title} {name!r}",
                detail="; ".join(refusals) or missing,
                help=near_names(name, self._files.names()) or form + (f"; {hint}" if hint else ""),
            )
        ])  # fmt: skip
        return None
