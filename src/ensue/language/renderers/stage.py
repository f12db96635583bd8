"""What a stage of a render pipe is given and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ensue.errors import DecryptionError
from ensue.language.blocks.space import NO_BLOCKS, BlockSpace
from ensue.language.marks import without_authorship, without_marks
from ensue.language.stateconf.values import StateconfValues
from ensue.language.yaml import YamlDocument

if TYPE_CHECKING:
    from ensue.language.blocks import Block
    from ensue.language.jinja import JinjaRenderer
    from ensue.language.mako.render import MakoRenderer
    from ensue.language.yaml.document import Anchor


def no_keys(_message: str) -> str:
    """Refuse a PGP message: there are no keys.

    Raises:
        DecryptionError: always.
    """
    raise DecryptionError("there are no keys")


class Printing(Enum):
    """What a pipe makes of values that its templates print."""

    JUDGED = "judged"
    """States: a value stays within one scalar, and its `${…}` and `__slot__:` are data."""

    MARKED = "marked"
    """Pillar: the same, and what an author wrote keeps its marks until it is printed into an SLS."""

    FREE = "free"
    """Text such as a file's: values are printed as they are."""


def no_files(_path: str) -> None:
    """Find no file."""


def _no_stage(_name: str) -> None:
    return None


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """What flows through a pipe: text with its places, or at the end data.

    Args:
        text: the text so far.
        data: the data, once a stage has made it.
        is_data: whether a stage has.
        path: the source file, as messages show it.
        name: its name in the roots (`a/b/init.sls`), which relative includes start from.
        context: makes Salt's context when a stage needs it (a file without templating never does).
        anchors: where the lines of `text` come from.
        exported: top-level variables of the template at its end.
        jinja: the Jinja renderer of this environment, made when asked for.
        mako: the same for Mako; raises ImportError where that is not installed.
        first_line: the source line of the first line of `text` (a block begins within its file).
        templates: the files of the templates that were pulled in.
        functions: the blocks that a `py` file defines.
        space: the delayed blocks that can be called from here.
        inherited: what a scoped block was given of its caller's variables.
        written: where the data stands, when that is not `text`.
        printing: what becomes of signs that a template prints; see `Printing`.
        source: the text as the file has it.
        authored: returns the texts that authors wrote elsewhere: the files of pillar.
        is_rendered: whether a template has printed values into `text`: what an author wrote in it has marks.
        has_marks: whether `data` holds references or slots with marks (pillar).
        decrypt: returns what a PGP message was encrypted from; raises DecryptionError.
        parts: the renderings of those parts of the file that have renderers of their own.
        own_stage: returns a renderer of the project by its name, None when it has none.
        stateconf: the values that the SLS of this loading have set for each other.
        find_file: returns the text of the file that `salt://PATH` names, its name for messages, and its whole
            path; None when there is none.
        is_file: whether `source` is (a part of) a file of the project that holds no pillar.
    """

    text: str
    path: str
    name: str
    context: Callable[[], Mapping[str, Any]]
    jinja: Callable[[], JinjaRenderer]
    mako: Callable[[], MakoRenderer]
    data: Any = None
    is_data: bool = False
    anchors: tuple[Anchor, ...] = ()
    exported: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    first_line: int = 1
    templates: tuple[str, ...] = ()
    functions: tuple[Block, ...] = ()
    space: BlockSpace = NO_BLOCKS
    inherited: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    written: YamlDocument | None = None
    printing: Printing = Printing.JUDGED
    source: str = ""
    authored: Callable[[], Iterable[str]] = tuple
    is_rendered: bool = False
    has_marks: bool = False
    decrypt: Callable[[str], str] = no_keys
    own_stage: Callable[[str], Stage | None] = _no_stage
    stateconf: StateconfValues = msgspec.field(default_factory=StateconfValues)
    find_file: Callable[[str], tuple[str, str, str] | None] = no_files
    is_file: bool = False
    parts: tuple[Stream, ...] = ()

    @property
    def variables(self) -> Mapping[str, Any]:
        """Salt's context."""
        return self.context()

    def rendered(self, text: str) -> Stream:
        """Return this stream with the text that a template stage made of it, marks included."""
        if self.printing is Printing.FREE:
            text = without_marks(text)
        elif self.is_rendered:
            # What the earlier stage printed was part of this stage's template, and no author wrote it.
            text = without_authorship(text)
        return msgspec.structs.replace(self, text=text, is_rendered=True)

    def document(self) -> YamlDocument:
        """Return the text so far as a document that knows its places."""
        if self.written is not None:
            return self.written
        return YamlDocument(self.path, self.text, self.anchors, self.first_line)

    def with_data(self, data: Any) -> Stream:
        """Return this stream, ended by data."""
        return msgspec.structs.replace(self, data=data, is_data=True)


Stage: TypeAlias = Callable[[Stream, str], Stream]
"""Takes the stream and the arguments behind the renderer's name; raises CompileError."""
