"""The `Masker`: knows the secrets of one process and masks them in text and data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ensue.core.masking.forms import MASK, escaped_forms, url_forms
from ensue.core.masking.headers import credentials, header_credentials
from ensue.core.masking.lines import SecretLines, distinctive_short_lines, own_lines
from ensue.core.masking.names import AuthoredNames
from ensue.core.masking.parts import SHORTEST_PART_CHARS, SecretParts
from ensue.core.masking.urls import mask_forms, may_hold_form, may_hold_url, url_passwords

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHORTEST_GUESSED_CHARS: Final = 8
"""The minimum length for masking a guessed secret within text; see `Masker.add_guessed`."""

_UNREMARKABLE_DIGITS: Final = 4
_TAG_SEPARATOR: Final = "_|-"


class Masker:
    """The secrets of one process and the one way to take them out of text and data.

    `knows_secrets` says whether any secret was added.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.knows_secrets = False
        self._whole: set[str] = set()
        self._alone: set[str] = set()
        self._parts = SecretParts()
        self._lines = SecretLines()
        self._names = AuthoredNames()
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Add secret values.

        A multi-line secret (a private key) is also masked line by line, as a diff or a log would show it.
        Every secret is also masked in its forms for JSON, `repr`, a shell and a URL.

        Args:
            secrets: the values in the clear; empty ones are ignored.
        """
        for secret in secrets:
            if secret and secret not in self._whole:
                self._whole.update((secret, secret.strip()))
                self._add_parts(secret)
                # Last, so that a thread that sees it finds the rest in place.
                self.knows_secrets = True

    def add_guessed(self, *values: str) -> None:
        """Add values that are secrets judging by the names of their keys or by their position in a URL.

        A value of fewer than eight characters may be an ordinary word (`password: test`), so it is masked
        only as a whole value. Numbers of fewer than four digits are ignored.

        Args:
            values: the values in the clear.
        """
        for value in values:
            if len(value) >= SHORTEST_GUESSED_CHARS:
                self.add(value)
            elif value and not (value.isdecimal() and len(value) < _UNREMARKABLE_DIGITS):
                self._alone.update((value, value.strip()))
                self.knows_secrets = True

    def add_values(self, *values: str) -> None:
        """Add values that are secrets by their place, such as outputs of a resource.

        Those that are too short to be masked within text may be ordinary words or numbers, so they are
        guesses (`add_guessed`): a name that equals one stays.

        Args:
            values: the values in the clear.
        """
        for value in values:
            (self.add if len(value) >= SHORTEST_PART_CHARS else self.add_guessed)(value)

    def add_from_urls(self, *data: Any) -> None:
        """Add the passwords of URLs, and the credentials of headers, in texts and nested data to the secrets.

        Args:
            data: arguments, returns, texts: anything built from mappings, lists and scalars.
        """
        if not may_hold_url(data):
            return
        waiting = [part for part in data if may_hold_url(part)]
        while waiting:
            value = waiting.pop()
            kind = value.__class__
            if kind is str:
                if "://" in value and "@" in value:
                    self.add_guessed(*url_passwords(value))
                self.add_guessed(*credentials(value))
            elif kind is dict:
                waiting += value
                waiting += value.values()
                for name, item in value.items():
                    self.add_guessed(*header_credentials(name, item))
            elif kind is list or kind is tuple:
                waiting += value

    def add_source(self, text: str) -> None:
        """Add the text of an SLS before it is rendered: `name` leaves its words as they are."""
        self._names.add_source(text)

    def add_names(self, names: Iterable[str]) -> None:
        """Add names that authors gave: they stay within any text, with the secrets that they contain.

        Args:
            names: types, classes, ids, definitions, keys of inputs.
        """
        self._names.add_names(names)

    def is_whole_secret(self, text: str) -> bool:
        """Return whether a text as a whole is a secret."""
        return text in self._whole or text.strip() in self._alone

    def has_nothing_in(self, *texts: str) -> bool:
        """Return whether texts contain no secret, and none that is found by syntax; False may be wrong."""
        return not self.knows_secrets and not may_hold_form("\n".join(texts))

    def is_in(self, content: bytes) -> bool:
        """Return whether content is a secret, or contains one."""
        if not self.knows_secrets:
            return False
        text = content.decode("utf-8", "backslashreplace")
        return self.is_whole_secret(text.strip()) or self.within(text) != text

    def text(self, text: str) -> str:
        """Return the text with every secret in it replaced with `(sensitive)`."""
        if not self.knows_secrets:
            return mask_forms(text)
        return MASK if self.is_whole_secret(text) else self.within(text)

    def within(self, text: str) -> str:
        """Return the text with only those secrets masked that are also masked within longer text.

        For words of ensue and of users (the name of a module, a key) that may equal a short secret by chance.
        """
        if self.knows_secrets:
            if text in self._whole and not self._names.is_in_name(text, 0, len(text)):
                return MASK
            if self._lines.any:
                text = self._lines.mask(text)
            text = self._parts.mask(text, self._names.is_in_name)
        return mask_forms(text)

    def name(self, name: str) -> str:
        """Return a name that an author gave: an ID, an SLS, a block, a path of these.

        Unlike in other text, a secret stays if it is short, or if an SLS contains it, because a state whose
        ID is hidden cannot be found. Two names stay two: the second one that is masked alike ends in ` #2`.
        """
        if not self.knows_secrets:
            return mask_forms(name)
        lines = self._lines.mask(name) if self._lines.any else name
        masked = mask_forms(self._parts.mask(lines, self._names.is_authored))
        return name if masked == name else self._names.numbered(name, masked)

    def tag(self, tag: str) -> str:
        """Return the tag of a state, `MODULE_|-ID_|-NAME_|-FUNCTION`; a NAME other than the ID is a value."""
        if not self.knows_secrets and not may_hold_form(tag):
            return tag
        module, _, rest = tag.partition(_TAG_SEPARATOR)
        named, _, function = rest.rpartition(_TAG_SEPARATOR)
        ids = _halves(named)
        if not ids:
            return self.within(tag)
        id_, name = ids
        shown = self.name(id_)
        return _TAG_SEPARATOR.join((module, shown, shown if name == id_ else self.within(name), function))

    def data(self, data: Any) -> Any:
        """Return a copy of nested data with every secret replaced, keys included.

        Args:
            data: anything built from mappings, lists, tuples and scalars.

        Returns:
            The same object if there is nothing to mask, else a masked copy.
        """
        return self._masked(data) if self.knows_secrets else data

    def secrets_in(self, text: str) -> list[str]:
        """Return the secrets that a text is or contains, so that they can be kept together with it."""
        return [text] if self.is_whole_secret(text) else self._parts.within(text)

    def lines(self, lines: Sequence[str]) -> list[tuple[str, str]]:
        """Return the lines of one text, each with the text that has its secrets replaced.

        Lines that have a secret of several lines together are one.

        Args:
            lines: all lines of the text, with or without their ends.
        """
        texts = [line.rstrip("\r\n") for line in lines]
        whole = "\n".join(texts)
        if not lines or self.is_whole_secret(whole):
            return [("".join(lines), MASK)] if lines else []
        masked = (self._lines.mask_lines(texts) if self._lines.any else None) or texts
        pairs: list[tuple[str, str]] = []
        place = 0
        for count, text in self._parts.joined_lines(whole):
            raw = lines[place : place + count]
            shown = self.within(text if count > 1 else masked[place])
            place += count
            pairs.append(("".join(raw), shown + raw[-1][len(texts[place - 1]) :]))
        return pairs

    def _add_parts(self, secret: str) -> None:
        forms = escaped_forms(secret) | escaped_forms(secret.strip()) | url_forms(secret)
        if len(secret.splitlines()) > 1:
            for line in own_lines(secret):
                forms |= escaped_forms(line)
            self._alone.update(distinctive_short_lines(secret))
            self._lines.add(secret)
        self._parts.add(form for form in forms if len(form) >= SHORTEST_PART_CHARS and form not in MASK)

    def _masked(self, data: Any) -> Any:  # noqa: PLR0911 (one return per kind of data)
        match data:
            case str():
                return self.text(data)
            case Mapping():
                return self._masked_mapping(data)  # pyright: ignore[reportUnknownArgumentType] # of anything
            case list() | tuple() | set() | frozenset():
                return self._masked_items(list(data))  # pyright: ignore[reportUnknownArgumentType] # of anything
            case bytes():
                return self.text(data.decode("utf-8", "backslashreplace"))
            case None | bool():
                return data
            case int() | float():
                return MASK if (text := str(data)) in self._whole or text in self._alone else data
            case _:
                # Other objects from a plug-in (a path, an exception) are shown as text.
                text = str(data)
                return data if (masked := self.text(text)) == text else masked

    def _masked_mapping(self, data: Mapping[Any, Any]) -> dict[Any, Any]:
        masked: dict[Any, Any] = {}
        for key, value in data.items():
            shown, count = self._masked_key(key), 1
            while shown in masked:
                # Two masked keys remain two keys.
                shown, count = f"{self._masked_key(key)} #{count + 1}", count + 1
            masked[shown] = self._masked(value)
        return masked

    def _masked_key(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.within(key)
        text = key.decode("utf-8", "backslashreplace") if isinstance(key, bytes) else str(key)
        return key if (masked := self.within(text)) == text else masked

    def _masked_items(self, items: Sequence[Any]) -> list[Any]:
        if self._lines.any and len(items) > 1 and all(isinstance(item, str) for item in items):
            items = self._lines.mask_lines(items) or items
        return [self._masked(item) for item in items]


def _halves(named: str) -> tuple[str, str] | None:
    """Return ID and name of a tag's middle; either may contain the separator, and often they are equal."""
    half = (len(named) - len(_TAG_SEPARATOR)) // 2
    if half > 0 and named[:half] == named[-half:] and named[half:-half] == _TAG_SEPARATOR:
        return named[:half], named[-half:]
    id_, separator, name = named.partition(_TAG_SEPARATOR)
    return (id_, name) if separator else None
