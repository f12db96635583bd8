r"""Which lines of a change may be shown when the content has secrets, and how.

The masker knows the secrets of the new content. It does not know the former value of a secret, which may be
anywhere in what is removed, in any form. So nothing that is shown depends on a value, known or not:

- The secrets of the new content are replaced before lines are shown. A secret of several lines is one line.
- A removed line is shown if it has no secret, and the old content has all secret lines of the new one.
  Otherwise it is `(sensitive)`, or looks like the new line that has the same text around its secret.
- Text that an edit keeps is as unknown as what is removed. If the edit adds a secret, it is hidden as well.
- Neighbouring lines that are hidden are one, so that a secret has no number of lines.

`\ only the secret differs` follows lines that look alike. As in other diffs, a line that begins with a
backslash is a remark, and part of no content.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ensue.core.masking import MASK
from ensue.core.model.secret_values import secret_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.masking import Masker

ONLY_SECRET: Final = "\\ only the secret differs"  # noqa: S105 (a remark)
WHOLE_SECRET: Final = f"--- \n+++ \n@@ -1 +1 @@\n-{MASK}\n+{MASK}\n{ONLY_SECRET}\n"
"""The difference of two contents that are secrets as a whole."""

WITHHELD: Final = "\\ lines are hidden that may have the former value of a secret"

_ENDS: Final = "\r\n"
_SEPARATOR: Final = "\0"


class ShownDifference:
    """The lines of an old and a new content, and the text that is shown of each.

    Args:
        old: the lines before the change.
        new: the lines after it.
        masker: knows the secrets.
        is_edit: whether lines of the new content are kept from the old one, rather than given by an author.
    """

    def __init__(
        self, old: Sequence[str], new: Sequence[str], masker: Masker, *, is_edit: bool = False
    ) -> None:
        self._masker = masker
        self._old = [*map(_without_indent, masker.lines(old))]
        self._new = [*map(_without_indent, masker.lines(new))]
        self._shown = dict(self._new)
        secret = Counter(line for line, text in self._new if text != line)
        lacking = secret - Counter(line for line, _ in self._old)
        self._templates = [_without_end(self._shown[line]) for line in lacking]
        if is_edit and lacking:
            kept = {line: MASK + line[len(_without_end(line)) :] for line, _ in self._old}
            self._new = [(line, kept.get(line, text)) for line, text in self._new]
            self._shown = dict(self._new)
        self._hiding = {f"{sign}{MASK}" for sign in ("- " if is_edit else "-") if lacking}
        self._removed = {line: self._of_removed(line, text) for line, text in self._old}

    @property
    def adds_secret(self) -> bool:
        """Whether the new content has a line with a secret that the old one lacks."""
        return bool(self._templates)

    def removed(self, line: str) -> str:
        """Return what is shown of a line of the old content; a part of a longer secret is hidden."""
        return without_named_secret(self._removed.get(line, MASK))

    def added(self, line: str) -> str:
        """Return what is shown of a line of the new content, or of another text that is made from it."""
        return without_named_secret(self._shown.get(line) or self._masker.within(line))

    def unified(self, *, joined_by: str = "") -> str:
        """Return a unified diff of the contents, without file names.

        Args:
            joined_by: the text between lines; a newline if these have none.
        """
        import difflib

        before, after = self._before(), _joined(self._new)
        shown = {"-": dict(before), "+": dict(after), " ": dict(after)}
        diff = list(difflib.unified_diff([line for line, _ in before], [line for line, _ in after]))
        lines, is_withheld = diff[:2], False
        for is_changed, region in groupby(diff[2:], key=lambda line: line[0] in "-+"):
            texts = [
                sign + without_named_secret(shown[sign][line]) if sign in shown else f"{sign}{line}"
                for sign, line in ((each[0], each[1:]) for each in region)
            ]
            alike: frozenset[str] = _alike(texts) if is_changed else frozenset()
            if MASK not in alike and not self._hiding.isdisjoint(map(_without_end, texts)):
                is_withheld = True
            for text in texts:
                lines.append(text)
                if text[0] == "+" and _without_end(text[1:]) in alike:
                    lines.append(_remark(ONLY_SECRET, text, joined_by))
        if is_withheld:
            lines.append(_remark(WITHHELD, lines[-1], joined_by))
        return joined_by.join(lines)

    def _of_removed(self, line: str, masked: str) -> str:
        if line in self._shown:
            return self._shown[line]
        return line if masked == line and not self._templates else self._hidden([line])[0]

    def _hidden(self, lines: Sequence[str]) -> list[str]:
        """Return what is shown of neighbouring lines that may have a secret."""
        text = "\n".join(map(_without_end, lines))
        end = lines[-1][len(_without_end(lines[-1])) :]
        texts = [each for each in self._templates if each != MASK and _has_around(text, each.split(MASK))]
        return [f"{each}{end}" for each in dict.fromkeys(texts) or (MASK,)]

    def _before(self) -> list[tuple[str, str]]:
        """Return the old lines as keys that are equal where both contents are, each with its text."""
        lines: list[tuple[str, str]] = []
        pairs = [(line, self._removed[line]) for line, _ in self._old]
        for _, group in groupby(pairs, key=self._is_hidden):
            run = list(group)
            if all(line in self._shown or line == text for line, text in run):
                lines += _joined(run)
                continue
            # No line of the new content begins like these.
            key = _SEPARATOR.join(("", *(line for line, _ in run)))
            texts = self._hidden([line for line, _ in run])
            lines += ((f"{key}{_SEPARATOR}{place}", text) for place, text in enumerate(texts))
        return lines

    def _is_hidden(self, pair: tuple[str, str]) -> bool:
        line, text = pair
        return line != text and (line not in self._shown or _is_mask(text))


def without_named_secret(line: str) -> str:
    """Return a line with the value masked if its name is that of a secret (`password=…`)."""
    secret = secret_text(_without_end(line))
    return line if secret is None else MASK.join(line.rsplit(secret, 1))


def _alike(region: Sequence[str]) -> frozenset[str]:
    """Return the texts of a changed region that are removed and added, and differ only in a secret.

    A line that is nothing but a secret says so of the whole region.
    """
    removed, added = ([_without_end(text[1:]) for text in region if text[0] == sign] for sign in "-+")
    both = frozenset(text for text in removed if text in added and MASK in text)
    return both if removed == added else both - {MASK}


def _joined(lines: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the lines; neighbours that are nothing but a secret are one line."""
    pairs: list[tuple[str, str]] = []
    for is_secret, group in groupby(lines, key=lambda pair: pair[0] != pair[1] and _is_mask(pair[1])):
        run = list(group)
        pairs += [(_SEPARATOR.join(line for line, _ in run), run[-1][1])] if is_secret else run
    return pairs


def _remark(remark: str, after: str, joined_by: str) -> str:
    if joined_by:
        return remark
    return f"{remark}\n" if after.endswith("\n") else f"\n{remark}\n"


def _is_mask(text: str) -> bool:
    return _without_end(text) == MASK


def _without_end(text: str) -> str:
    return text.rstrip(_ENDS)


def _without_indent(pair: tuple[str, str]) -> tuple[str, str]:
    """Return a line and its text, without blanks if that is nothing but a secret: they may be part of it."""
    line, text = pair
    return (line, MASK + text[len(_without_end(text)) :]) if text.strip() == MASK else pair


def _has_around(text: str, parts: Sequence[str]) -> bool:
    """Return whether lines have these parts in order, the first at a beginning and the last at an end."""
    first, *middle, last = parts
    position = 0
    for part in (f"\n{first}", *middle, f"{last}\n"):
        place = f"\n{text}\n".find(part, position)
        if place < 0:
            return False
        position = place + len(part)
    return True
