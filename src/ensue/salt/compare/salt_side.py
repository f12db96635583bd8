"""What Salt's own Python runs for `ensue compare`: compile a tree, and plan it with `test=True`.

It reads an order, one JSON document, on stdin, and answers with JSON documents on stdout, one per line.
Everything else that this process prints, in Salt or in a module of the tree, goes to stderr. The script
imports nothing of ensue: it is copied to its own folder and run by an interpreter that has Salt and no ensue.

    {"stage": "compiled", "version", "low", "errors", "log", "unknown", "pillar", "asked"}
    {"stage": "planning", "done", "total"}       whenever one more state has been planned
    {"stage": "planned", "returns", "errors"}

Source: Salt's `salt.state.HighState`, 3008; the steps are those of `state.highstate` and `state.sls`.
"""
# pyright: basic
# Salt has no types, and is not installed beside ensue, so its values are of any type.

from __future__ import annotations

import collections
import importlib
import json
import logging
import math
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

_FORMS = ("modules", "states", "grains", "renderers", "utils", "matchers", "pillar", "returners", "sdb")
"""The kinds of modules that a tree may have, in `_modules`, `_states`, …."""


_MOST_LOGGED = 20


class MessageChannel:
    """The line to ensue: the stdout that this process was started with."""

    def __init__(self) -> None:
        self._stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
        # What a module or a command that it starts prints is not part of the answer.
        os.dup2(2, 1)

    def say(self, what: str, **more: Any) -> None:
        """Write one message."""
        self._stream.write(json.dumps({"stage": what, **more}) + "\n")
        self._stream.flush()


class ErrorLog(logging.Handler):
    """Salt's logged errors: only the log says why pillar does not compile."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Record a message, once."""
        message = record.getMessage()
        if message not in self.messages and len(self.messages) < _MOST_LOGGED:
            self.messages.append(message)


class TemplateUsage:
    """The execution functions and renderers that the templates of the tree use, with counts."""

    def __init__(self) -> None:
        self.functions: collections.Counter[str] = collections.Counter()
        self.renderers: collections.Counter[str] = collections.Counter()

    def listen(self) -> None:
        """Start counting, as far as this version of Salt has the methods to hook into."""
        templates = importlib.import_module("salt.utils.templates")
        _after(templates, "AliasedLoader", "__getitem__", self._item)
        _after(templates, "AliasedLoader", "__getattr__", self._module)
        template = importlib.import_module("salt.template")
        before = getattr(template, "check_render_pipe_str", None)
        if before is None:
            return

        def checked(pipe: Any, *args: Any, **kwargs: Any) -> Any:
            words = [part.split() for part in str(pipe or "").split("|")]
            self.renderers.update(part[0] for part in words if part)
            return before(pipe, *args, **kwargs)

        vars(template)["check_render_pipe_str"] = checked

    def _item(self, _: Any, name: Any, item: Any) -> Any:
        if "." in str(name):
            self.functions[str(name)] += 1
        return item

    def _module(self, _: Any, name: str, module: Any) -> Any:
        return module if name.startswith("_") else _CountedModule(module, name, self.functions)


class _CountedModule:
    """`salt.cmd` in a template: a module that counts the functions that are looked up in it."""

    def __init__(self, module: Any, name: str, counted: Any) -> None:
        self._module = module
        self._name = name
        self._counted = counted

    def __getattr__(self, function: str) -> Any:
        if not function.startswith("_"):
            self._counted[f"{self._name}.{function}"] += 1
        return getattr(self._module, function)

    def __getitem__(self, function: str) -> Any:
        return self._module[function]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._module(*args, **kwargs)


def _after(module: Any, class_name: str, method: str, then: Any) -> None:
    """Wrap a method of Salt's: its result is passed to a function, whose result is returned."""
    owner = getattr(module, class_name, None)
    before = getattr(owner, method, None)
    if before is None:
        return

    def called(self: Any, name: Any) -> Any:
        return then(self, name, before(self, name))

    setattr(owner, method, called)


class SaltTree:
    """One tree, compiled and planned by Salt.

    Args:
        order: the options of the minion, the SLS, and the pillar of the command line.
        asked: counts the functions and renderers that templates use.
    """

    def __init__(self, order: Any, asked: TemplateUsage) -> None:
        self._order = order
        self._asked = asked
        self._opts = _minion_options(order)
        state = importlib.import_module("salt.state")
        self._highstate = state.HighState(self._opts, order["pillar"] or None)
        self.chunks: list[Any] = []

    def compiled(self) -> Any:
        """Return the low data, or the errors."""
        high, errors = self._high()
        low: list[Any] = []
        if high is not None and not errors:
            state = self._highstate.state
            high, more = state.reconcile_extend(high)
            errors += more
            errors += state.verify_high(high)
            if not errors:
                high, more = state.requisite_in(high)
                errors += more
                high = state.apply_exclude(high)
            if not errors:
                self.chunks, errors = state.compile_high_data(high)
                low = plain(self.chunks) if not errors else []
        return {
            "version": str(importlib.import_module("salt.version").__version__),
            "low": low,
            "errors": [str(error) for error in errors],
            "unknown": self._unknown(),
            "pillar": plain(self._opts_of_state().get("pillar") or {}),
            "asked": {"functions": self._asked.functions, "renderers": self._asked.renderers},
        }

    def planned(self, line: MessageChannel) -> dict[str, Any]:
        """Return the result of `test=True` for each state, by tag."""
        state = self._highstate.state
        call, total = state.call_chunk, len(self.chunks)
        done: set[int] = set()

        def counted(low: Any, *args: Any, **kwargs: Any) -> Any:
            returned = call(low, *args, **kwargs)
            done.add(id(low))
            line.say("planning", done=len(done), total=total)
            return returned

        state.call_chunk = counted
        self._highstate.push_active()
        try:
            returned = state.call_listen(self.chunks, state.call_chunks(self.chunks))
        finally:
            self._highstate.pop_active()
        return {tag: _return(value) for tag, value in returned.items() if isinstance(value, dict)}

    def _unknown(self) -> list[str]:
        known = self._highstate.state.states
        names = {f"{chunk['state']}.{chunk['fun']}" for chunk in self.chunks}
        return sorted(name for name in names if name not in known)

    def _opts_of_state(self) -> Any:
        return self._highstate.state.opts

    def _high(self) -> tuple[Any, list[Any]]:
        pillar_errors = (self._opts_of_state().get("pillar") or {}).get("_errors")
        if pillar_errors:
            return None, list(pillar_errors)
        mods = self._order["mods"]
        self._highstate.push_active()
        try:
            if mods:
                rendered: tuple[Any, list[Any]] = self._highstate.render_highstate(
                    {self._opts["saltenv"] or "base": mods}
                )
                return rendered
            top = self._highstate.get_top()
            errors = list(self._highstate.verify_tops(top))
            return (None, errors) if errors else self._assigned(top)
        finally:
            self._highstate.pop_active()

    def _assigned(self, top: Any) -> tuple[Any, list[Any]]:
        matches = self._highstate.top_matches(top)
        if not matches:
            return None, []
        rendered: tuple[Any, list[Any]] = self._highstate.render_highstate(matches)
        return rendered


def _minion_options(order: Any) -> Any:
    config = importlib.import_module("salt.config")
    loader = importlib.import_module("salt.loader")
    folder = Path(order["folder"])
    opts = config.apply_minion_config({**order["options"], "root_dir": str(folder)})
    for name in ("cachedir", "extension_modules", "sock_dir", "pki_dir"):
        Path(opts[name]).mkdir(parents=True, exist_ok=True)
    opts.update(test=True, file_client="local", conf_file=str(folder / "minion"), pillar={}, grains={})
    opts.update({"__role": "minion", "__cli": "salt-call", "mine_interval": 0})
    _bring_custom_modules(opts)
    static = order["options"].get("grains") or {}
    opts["grains"] = {**loader.grains({**opts, "grains": static}), **static}
    return opts


def _bring_custom_modules(opts: Any) -> None:
    """Do what `saltutil.sync_all` does: copy `_modules` and similar folders to where Salt finds them."""
    extmods = importlib.import_module("salt.utils.extmods")
    environments = list(opts["file_roots"])
    for form in _FORMS:
        extmods.sync({**opts, "grains": {}}, form, saltenv=environments)


def _return(returned: Any) -> dict[str, Any]:
    return {
        "result": returned.get("result"),
        "changes": plain(returned.get("changes") or {}),
        "comment": plain(returned.get("comment") or ""),
        "run_num": returned.get("__run_num__", 0),
        "ran": bool(returned.get("__state_ran__", True)),
    }


def plain(value: Any) -> Any:
    """Return data that JSON can write: keys as text, tuples as lists, anything else as its text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return str(value)


def main() -> None:
    """Carry out the order on stdin."""
    line = MessageChannel()
    warnings.simplefilter("ignore")
    order = json.load(sys.stdin)
    # A command that the tree starts must not read from the order's pipe.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        importlib.import_module("salt.config")
        importlib.import_module("salt.loader")
    except ImportError as error:
        line.say("absent", why=str(error))
        return
    log = ErrorLog()
    logging.getLogger().addHandler(log)
    try:
        _show_pillar_to_functions()
        asked = TemplateUsage()
        asked.listen()
        tree = SaltTree(order, asked)
        line.say("compiled", **tree.compiled(), log=log.messages)
    except Exception as error:  # noqa: BLE001 -- whatever a tree does to Salt is an answer
        traceback.print_exc()
        line.say("broken", why=f"{type(error).__name__}: {error}")
        return
    if order["plan"] and tree.chunks:
        _plan(tree, line)


def _plan(tree: SaltTree, line: MessageChannel) -> None:
    try:
        line.say("planned", returns=tree.planned(line), errors=[])
    except Exception as error:  # noqa: BLE001 -- whatever a state does to Salt is an answer
        traceback.print_exc()
        line.say("planned", returns={}, errors=[f"{type(error).__name__}: {error}"])


def _show_pillar_to_functions() -> None:
    """Have Salt pass pillar values to functions; by default, 3008 masks them."""
    try:
        secret = importlib.import_module("salt.utils.secret")
    except ImportError:
        return
    if hasattr(secret, "mask_pillar"):
        secret.mask_pillar.set(False)


if __name__ == "__main__":
    main()
