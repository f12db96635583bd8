"""Whether a state function accepts the arguments of a declaration, and none is missing.

Only this module decides it, for functions of ensue, of the project and of Salt. A function that takes only
the arguments it names is given no others. A function that passes any argument on is given everything except
misspelt options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ensue.core.contracts.signature import ANY_ARGUMENTS
from ensue.core.model.declared_secrets import SENSITIVE
from ensue.language.ansible_words import contrary_state, instead_of_keyword, is_unmistakable
from ensue.language.idem_names import refuse_credentials
from ensue.language.references.detection import holds_sign

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.signature import Signature
    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration


_MOST_LISTED: Final = 20
"""How many arguments of a function a message lists."""


class OnUnknown(NamedTuple):
    """What happens if a state function does not exist, or does not take an argument or lacks one.

    Args:
        function: `refuse`: nothing runs; `fail`: only its state fails.
        argument: the same; `ignore`: an argument is left out with a warning, as Salt does with functions that
            take `**kwargs`, unless it is a misspelt one.
    """

    function: Literal["refuse", "fail"] = "refuse"
    argument: Literal["refuse", "fail", "ignore"] = "refuse"

    @classmethod
    def of(cls, option: Callable[..., Any]) -> OnUnknown:
        """Return what the options of a project say.

        Args:
            option: returns an option by its name.
        """
        function = option("on_unknown_function", default="refuse")
        return cls(function, option("on_unknown_argument", default=function))

    def without_failures(self) -> OnUnknown:
        """Return what reports all that would fail a state."""
        return OnUnknown(argument="ignore" if self.argument == "ignore" else "refuse")


REFUSED: Final = OnUnknown()
"""Nothing runs."""


class ArgumentCheck:
    """Checks the arguments of one compilation.

    Args:
        collector: collects the errors.
        ignores: whether arguments that a function does not take are left out.
    """

    def __init__(self, collector: Collector, *, ignores: bool = False) -> None:
        self._collector = collector
        self._ignores = ignores
        self._ignored: set[tuple[str, str, str]] = set()
        self._near: dict[tuple[int, str], str] = {}

    def accepts(
        self, declaration: Declaration, signature: Signature, arguments: dict[str, Any], refused: Collector
    ) -> bool:
        """Return whether any state with arguments of these names is known to be right.

        Args:
            declaration: the state.
            signature: the arguments that its function takes.
            arguments: the arguments it is given, without options.
            refused: collects errors in the arguments; they may fail only the state.
        """
        if SENSITIVE in arguments and (SENSITIVE in signature.names or signature.passes_on(arguments)):
            from ensue.language.sensitive_arguments import check_sensitive

            takes_paths_only = signature.is_ours and SENSITIVE not in signature.types.by_name
            check_sensitive(declaration, arguments, refused, takes_paths_only=takes_paths_only)
        if signature is ANY_ARGUMENTS:
            return False
        others = arguments.keys() - signature.names
        if others and refuse_credentials(declaration, others, self._collector):
            return False
        is_right = True
        for name in sorted(others) if others else ():
            is_right &= self._accepts_other(declaration, signature, arguments, name, refused)
        for problem in signature.types.problems(arguments):
            if not is_late(arguments[problem.name]):
                function = f"{declaration.module}.{declaration.function}"
                place = _place(declaration, problem.name)
                refused.add([problem.diagnostic(declaration.id, function, place)])
        missing = signature.required - arguments.keys()
        for name in sorted(missing):
            refused.error(
                "E0403",
                f"{declaration.module}.{declaration.function} needs the argument {name!r}",
                declaration.span(),
                detail=f"{declaration.id!r} does not give it",
                help=f"add `- {name}: …`",
            )
        return is_right and not missing and SENSITIVE not in arguments

    def without_unused(
        self, declaration: Declaration, signature: Signature, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """Return arguments without those that the function does not take, if these are to be left out.

        There is a warning for each, at the first state of the function that has it.
        """
        if not self._ignores or signature is ANY_ARGUMENTS or signature.passes_on(arguments):
            return arguments
        known = {*signature.names, *signature.outdated, SENSITIVE}
        unused = [
            name
            for name in arguments
            if name not in known and not name.isupper() and not self._near_miss(signature, name)
        ]
        for name in unused:
            key = (declaration.module, declaration.function, name)
            if key not in self._ignored:
                self._ignored.add(key)
                self._warn(declaration, name, "", _meant(name, signature))
        return (
            {name: value for name, value in arguments.items() if name not in unused} if unused else arguments
        )

    def check_state(
        self, declaration: Declaration, signature: Signature, value: Any, refused: Collector
    ) -> None:
        """Refuse the argument `state` of Ansible that asks for something else than the function does.

        Any other is warned of, since Salt ignores it.

        Args:
            declaration: a state that has it.
            signature: the arguments that its function takes.
            value: the argument.
            refused: collects the errors.
        """
        if "state" in signature.names or declaration.is_copied_by_use("state"):
            return
        instead = contrary_state(declaration.module, declaration.function, value)
        if not instead or not signature.is_ours:
            self._warn(
                declaration,
                "state",
                "",
                instead or f"leave it out: `{declaration.module}.{declaration.function}` says what is meant",
            )
            return
        refused.error(
            "E0409",
            f"'state: {value}' of {declaration.id!r} is Ansible's",
            _place(declaration, "state"),
            detail=f"{declaration.module}.{declaration.function} makes no use of it",
            help=instead,
        )

    def warn_of_runas(self, declaration: Declaration, signature: Signature) -> None:
        """Warn of a `runas` that no command of the state uses: Salt ignores it.

        Args:
            declaration: a state that has it, without conditions and with a function that does not take it.
            signature: the arguments that its function takes.
        """
        if declaration.is_copied_by_use("runas"):
            return
        owner = "`user` names the owner; " if "user" in signature.names else ""
        self._warn(
            declaration,
            "runas",
            "",
            f"{owner}`runas` is the user of the commands in `onlyif`, `unless` and `check_cmd`, and "
            "everything else is done by the user of the connection",
        )

    def _accepts_other(
        self,
        declaration: Declaration,
        signature: Signature,
        arguments: dict[str, Any],
        name: str,
        refused: Collector,
    ) -> bool:
        """Return whether a function takes an argument that it does not name."""
        if signature.absorbs_any and declaration.is_copied_by_use(name):
            return True
        if not signature.passes_on(arguments):
            if name in signature.outdated:
                self._warn(declaration, name, signature.outdated[name])
            elif name.isupper() and "env" in signature.names:
                self._warn(declaration, name, f"env: [{{{name}: …}}]")
            else:
                _refuse(declaration, signature, name, refused)
            return False
        meant = self._near_miss(signature, name)
        if not meant and signature.is_ours and is_unmistakable(name):
            return _refuse_keyword(declaration, name, refused)
        if not meant:
            return True
        # Only of its own functions ensue knows that they make no use of it.
        report = refused.error if signature.is_ours else self._collector.warning
        report(
            "E0409",
            f"{name!r} of {declaration.id!r} looks like a misspelt {meant!r}",
            _place(declaration, name),
            detail=f"{declaration.module}.{declaration.function} takes any argument"
            + (" and would ignore it" if signature.is_ours else ""),
            help=instead_of_keyword(name) or f"did you mean {meant}?",
        )
        return not signature.is_ours

    def _near_miss(self, signature: Signature, name: str) -> str:
        key = (id(signature), name)
        if key not in self._near:
            from ensue.language.argument_suggestions import near_miss

            self._near[key] = near_miss(name, signature)
        return self._near[key]

    def _warn(self, declaration: Declaration, name: str, successor: str, meant: str = "") -> None:
        self._collector.warning(
            "E0408",
            f"{declaration.module}.{declaration.function} makes no use of {name!r}",
            _place(declaration, name),
            detail=f"{declaration.id!r} passes it, without effect, as in Salt",
            help=_instead_of_outdated(name, successor) if successor else meant or "remove it",
        )


def is_late(value: Any) -> bool:
    """Return whether a value is a reference or slot, which is judged when its state runs."""
    if not isinstance(value, str):
        return False
    # Loaded here, since only a value of the wrong type needs it.
    from ensue.engine.binding.slots import holds_slot

    return holds_sign(value) or holds_slot(value)


def _refuse(declaration: Declaration, signature: Signature, name: str, refused: Collector) -> None:
    refused.error(
        "E0402",
        f"{declaration.module}.{declaration.function} takes no argument {name!r}",
        _place(declaration, name),
        detail=f"{declaration.id!r} passes it",
        help=_meant(name, signature)
        or f"{_taken(declaration, signature)}; "
        "`on_unknown_argument: ignore` leaves it out, as Salt does where a function takes any",
    )


def _refuse_keyword(declaration: Declaration, name: str, refused: Collector) -> bool:
    """Refuse a keyword of Ansible where a function takes any argument; return that it is not right."""
    refused.error(
        "E0409",
        f"{name!r} of {declaration.id!r} is a keyword of Ansible",
        _place(declaration, name),
        detail=f"{declaration.module}.{declaration.function} takes any argument and would ignore it",
        help=instead_of_keyword(name),
    )
    return False


def _taken(declaration: Declaration, signature: Signature) -> str:
    """Return the arguments that a function takes, or where they are listed if they are many."""
    names = sorted(signature.names)
    if len(names) <= _MOST_LISTED:
        return f"it takes {', '.join(names)}"
    return (
        f"`ensue doc {declaration.module}.{declaration.function}` lists the {len(names)} arguments it takes"
    )


def _meant(name: str, signature: Signature) -> str:
    from ensue.language.argument_suggestions import meant_by

    return meant_by(name, signature.names)


def _instead_of_outdated(name: str, successor: str) -> str:
    """Return the remedy for an argument of an earlier release of Salt."""
    if successor == "runas":
        # Many trees have it, so it is no error; who reads the warning must learn which user it is now.
        return f"write `runas`: with `{name}`, the command runs as the user of the connection, usually root"
    return f"write `{successor}` if that is meant, or remove it"


def _place(declaration: Declaration, name: str) -> Span:
    document, keys = declaration.written_at(name)
    return document.locate(keys)
