"""`file.keyvalue`: manages lines of the form `key=value`.

Source: Salt's state module `file`, 3008, including the shape of the diff.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import edits_part
from ensue.core.errors import MissingOnTargetError, StateFailedError
from ensue.core.masking import mode_with_secret
from ensue.core.model.file_lines import file_lines
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import file_state, state_after, without_checksums
from ensue.library.states.file.edited import EditedFile
from ensue.library.states.file.needs import in_folder
from ensue.library.states.file.paths import target_path
from ensue.library.states.file.planned_contents import note_content
from ensue.library.states.file.shown_difference import ShownDifference

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@dataclass(frozen=True, slots=True, kw_only=True)
class _LineRules:
    """How lines are read and written."""

    separator: str
    uncomment: str | None
    key_ignore_case: bool
    value_ignore_case: bool
    prune: bool


_END: Final = "- <EOF>\n"


@edits_part
async def keyvalue(
    ctx: StateContext,
    name: str,
    *,
    key: str | None = None,
    value: Data = None,
    key_values: DataMap | None = None,
    separator: str = "=",
    append_if_not_found: bool = False,
    prepend_if_not_found: bool = False,
    search_only: bool = False,
    show_changes: bool = True,
    ignore_if_missing: bool = False,
    count: int = 1,
    uncomment: str | None = None,
    key_ignore_case: bool = False,
    value_ignore_case: bool = False,
    create_if_missing: bool = False,
    prune: bool = False,
) -> StateReturn:
    """Set the values of keys in lines of the form `key=value`.

    Args:
        key: a single key.
        value: value of `key`.
        key_values: values by key, instead of `key` and `value`.
        separator: text between key and value.
        append_if_not_found: add missing keys at the end.
        prepend_if_not_found: add missing keys at the start.
        search_only: accepted, as in Salt, without effect.
        show_changes: show what changes.
        ignore_if_missing: succeed if the file does not exist.
        count: number of lines that a key may have; further ones that are not indented are removed; -1 is any
            number.
        uncomment: characters that comment a key out; such a key is uncommented.
        key_ignore_case: ignore the case of keys.
        value_ignore_case: treat values that differ only in case as equal.
        create_if_missing: create the file if it does not exist.
        prune: remove all other lines.

    Example:
        /etc/ssh/sshd_config:
          file.keyvalue:
            - key: PermitRootLogin
            - value: 'no'
            - separator: ' '
            - uncomment: '#'
            - append_if_not_found: true

    Returns:
        `changes` has `diff`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: there are no keys, or the file does not exist.
    """
    del search_only
    pairs = _wanted(key, value, key_values)
    path = await target_path(ctx, name)
    file: EditedFile | None = None
    if await ctx.connection.stat(path, follow=True) is None:
        if not create_if_missing:
            comment = f"unable to open {path}"
            if not ignore_if_missing:
                raise MissingOnTargetError(comment, missing=path)
            state = file_state(path, None, None)
            return StateReturn.unchanged(name, comment, state)
        append_if_not_found = True
    else:
        file = await EditedFile.open(ctx, name)
    text = file.content.decode("utf-8", "surrogateescape") if file else ""
    rules = _LineRules(
        separator=separator, uncomment=uncomment, key_ignore_case=key_ignore_case,
        value_ignore_case=value_ignore_case, prune=prune,
    )  # fmt: skip
    edit = _Edit(pairs=pairs, rules=rules, left={each: int(count) for each in pairs})
    for line in file_lines(text, keepends=True):
        edit.take(line)
    if append_if_not_found:
        edit.append()
    elif prepend_if_not_found:
        edit.prepend()
    old_state = file.state_before() if file else file_state(path, None, None)
    if not edit.changed and not edit.removed:
        returned = StateReturn(name=name, result=True, new_state=old_state)
        return without_checksums(returned, ctx.masker, file.content if file else None)
    content = "".join(edit.lines).encode("utf-8", "surrogateescape")
    changes: DataMap = {"diff": _shown_difference(ctx, text, edit) if show_changes else True}
    if ctx.test:
        comment = f"File {path} is set to be changed ({edit.changed} lines modified, {edit.removed} deleted)"
        planned = StateReturn.planned(name, comment, changes, old_state=None if file else old_state)
        planned = await in_folder(ctx.connection, path, planned, makedirs=file is not None)
        if not planned.needs:
            note_content(ctx, path, content)
        return planned
    mode = None if file else mode_with_secret(ctx.masker, content)
    await ctx.connection.write(path, content, mode=mode)
    comment = f"Changed {edit.changed}, deleted {edit.removed} lines"
    new_state = await state_after(ctx.connection, path, content)
    returned = StateReturn.changed(name, comment, changes, new_state, old_state=old_state)
    return without_checksums(returned, ctx.masker, text.encode("utf-8", "surrogateescape"), content)


def _shown_difference(ctx: StateContext, old: str, edit: _Edit) -> str:
    before = [line if line.endswith("\n") else f"{line}\n" for line in file_lines(old, keepends=True)]
    lines = ShownDifference(before, edit.lines, ctx.masker, is_edit=True)
    shown = {"-": lines.removed, "+": lines.added}
    return "".join(
        line if line[0] not in shown or line == _END else f"{line[:2]}{shown[line[0]](line[2:])}"
        for line in edit.diff
    )


def _wanted(key: Data, value: Data, key_values: object) -> DataMap:
    if key is not None and value is not None:
        if key_values:
            raise StateFailedError("file.keyvalue can not combine key_values with key and value")
        return {str(key): value}
    if not isinstance(key_values, dict) or not key_values:
        what = "is not a dictionary" if key_values else "is empty"
        raise StateFailedError(f"file.keyvalue key and value not supplied and key_values {what}")
    return {str(each): key_value for each, key_value in key_values.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # a user's mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeyLine:
    """A line with one of the keys.

    Args:
        key: the key.
        start: what is before the separator: the key as the line has it, with the indentation of the line.
        value: its value, without blanks around it.
        is_commented: whether the key is commented out.
        is_indented: whether there are blanks before the key.
    """

    key: str
    start: str
    value: str
    is_commented: bool
    is_indented: bool


@dataclass(slots=True, kw_only=True)
class _Edit:
    """Collects the new lines of a file while it takes the old ones."""

    pairs: DataMap
    rules: _LineRules
    left: dict[str, int]
    lines: list[str] = field(default_factory=list[str])
    diff: list[str] = field(default_factory=list[str])
    changed: int = 0
    removed: int = 0

    def take(self, line: str) -> None:
        """Keep, change or drop an old line."""
        entry = self._read(line)
        if entry is None:
            if self.rules.prune:
                self.removed += 1
                self.diff.append(f"- {line}")
            else:
                self.lines.append(line)
            return
        key = entry.key
        is_same = self._folded(entry.value) == self._folded(str(self.pairs[key]).strip())
        # The key has its line already: a commented one stays, and one of a block that is indented; others go.
        # With a count of -1 commented lines stay as well.
        if self.left[key] == 0 and not (entry.is_commented or entry.is_indented):
            self._drop(line)
            return
        if self.left[key] == 0 or (self.left[key] < 0 and entry.is_commented):
            self.lines.append(line)
            return
        self.left[key] -= 1
        if is_same and not entry.is_commented:
            self.lines.append(line)
            return
        new = f"{entry.start}{self.rules.separator}{self.pairs[key]!s}\n"
        self.diff += [
            f"- {line}" if line.endswith("\n") else f"- {line}\n",
            self._shown(new, self.pairs[key]),
        ]
        self.lines.append(new)
        self.changed += 1

    def _read(self, line: str) -> _KeyLine | None:
        """Return what a line says of a wanted key; None if it has none."""
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        # A key may be given with its indentation, which then belongs to its name.
        for before in dict.fromkeys((indent, "")):
            inner = line[len(before) :]
            bare = inner.lstrip(self.rules.uncomment) if self.rules.uncomment else inner
            name_part, separator, value = bare.partition(self.rules.separator)
            key = self._key(name_part) if separator else None
            if key is not None:
                return _KeyLine(
                    key=key,
                    start=before + name_part,
                    value=value.strip(),
                    is_commented=bare != inner,
                    is_indented=bool(before),
                )
        return None

    def append(self) -> None:
        missing = self._missing()
        if not missing:
            return
        if self.lines and not self.lines[-1].endswith("\n"):
            self.lines[-1] += "\n"
        self.lines += missing
        self.diff += [_END, *(f"+ {line}" for line in missing), "+ <EOF>\n"]
        self.changed += len(missing)

    def prepend(self) -> None:
        missing = self._missing()
        if not missing:
            return
        self.lines = [*reversed(missing), *self.lines]
        self.diff = ["  <SOF>\n", *(f"+ {line}" for line in reversed(missing)), *self.diff]
        self.changed += len(missing)

    def _missing(self) -> list[str]:
        return [
            f"{key}{self.rules.separator}{value!s}\n"
            for key, value in self.pairs.items()
            if self.left[key] > 0
        ]

    def _drop(self, line: str) -> None:
        self.diff.append(f"- {line}" if line.endswith("\n") else f"- {line}\n")
        self.changed += 1

    def _key(self, name_part: str) -> str | None:
        if not self.rules.key_ignore_case:
            return name_part if name_part in self.pairs else None
        return next((key for key in self.pairs if key.lower() == name_part.lower()), None)

    def _folded(self, value: str) -> str:
        return value.lower() if self.rules.value_ignore_case else value

    @staticmethod
    def _shown(line: str, value: Data) -> str:
        if isinstance(value, str):
            return f"+ {line}"
        return f"+ {line.rstrip()} (from {type(value).__name__} type)\n"
