"""The input and output of a stage of a render pipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ensue.core.errors import DecryptionError
from ensue.language.blocks.space import NO_BLOCKS, BlockSpace
from ensue.language.jinja_settings import PLAIN_JINJA, JinjaSettings
from ensue.language.marks import without_authorship, without_marks
from ensue.language.stateconf.values import StateconfValues
from ensue.language.yaml import YamlDocument

if TYPE_CHECKING:
    from ensue.language.blocks import Block
    from ensue.language.jinja import JinjaRenderer
    from ensue.language.mako.render import MakoRenderer
    from ensue.language.yaml.document import Anchor


def no_keys(_message: str) -> str:
    """Refuse a PGP message, for a stream without keys.

    Raises:
        DecryptionError: always.
    """
    raise DecryptionError("there are no keys")


class Printing(Enum):
    """How a pipe treats the values that its templates print."""

    JUDGED = "judged"
    """For states: a value stays within one scalar, and `${…}` and `__slot__:` in it are data."""

    MARKED = "marked"
    """For pillar: as for states, and its data has authors' marks, for the templates that print it."""

    FREE = "free"
    """For text, such as a managed file: values are printed unchanged."""


def no_files(_path: str) -> None:
    """Find no file."""


def no_stage(_name: str) -> None:
    """Return None: there are no renderers of a project."""


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a pipe: text with its places, and data at the end.

    Args:
        text: the text so far.
        data: the data, once a stage has made it.
        is_data: whether a stage has made data.
        path: the source file, as messages show it.
        name: its name in the roots (`a/b/init.sls`), which relative includes start from.
        context: makes Salt's context on demand (a file without templates never needs it).
        anchors: where the lines of `text` come from.
        exported: top-level variables of the template at its end.
        jinja: makes the Jinja renderer of this environment, on demand.
        mako: makes the Mako renderer of this environment; raises ImportError if Mako is not installed.
        first_line: the source line of the first line of `text` (a block begins within its file).
        templates: the files of the templates that were pulled in.
        functions: the blocks that a `py` file defines.
        space: the delayed blocks that can be called from here.
        inherited: the variables that a scoped block gets from its caller.
        written: the document of the data, if that is not `text`.
        printing: how printed values are treated; see `Printing`.
        source: the text of the file.
        is_rendered: whether a template has printed values into `text`; signs of authors in it have marks.
        decrypt: returns the plain text of a PGP message; raises DecryptionError.
        parts: the renderings of the parts of the file that name their own renderers.
        own_stage: returns a renderer of the project by its name; None if there is none.
        stateconf: the values that the SLS of this loading have set for each other.
        find_file: returns the text of the file that `salt://PATH` names, its name for messages, and its full
            path; None if there is none.
        is_file: whether `source` is a file of the project, or part of one, that holds no pillar.
        jinja_settings: the settings for Jinja.
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
    is_rendered: bool = False
    decrypt: Callable[[str], str] = no_keys
    own_stage: Callable[[str], Stage | None] = no_stage
    stateconf: StateconfValues = msgspec.field(default_factory=StateconfValues)
    find_file: Callable[[str], tuple[str, str, str] | None] = no_files
    is_file: bool = False
    jinja_settings: JinjaSettings = PLAIN_JINJA
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
            # Text that the earlier stage printed was part of this stage's template, but no author wrote it.
            text = without_authorship(text)
        return msgspec.structs.replace(self, text=text, is_rendered=True)

    def document(self) -> YamlDocument:
        """Return the text so far as a document that can find places."""
        if self.written is not None:
            return self.written
        return YamlDocument(self.path, self.text, self.anchors, self.first_line)

    def with_data(self, data: Any) -> Stream:
        """Return this stream, ended by data."""
        return msgspec.structs.replace(self, data=data, is_data=True)


Stage: TypeAlias = Callable[[Stream, str], Stream]
"""Takes the stream and the arguments after the renderer's name; raises CompileError."""
