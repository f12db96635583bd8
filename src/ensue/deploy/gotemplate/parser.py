"""Builds the nodes of a template from its tokens: text, blocks and definitions.

The module `pipelines` reads the pipelines in them.

Source: the documentation of Go's `text/template`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.deploy.gotemplate.failures import TemplateSyntaxError
from ensue.deploy.gotemplate.lexer import Token, tokens_of
from ensue.deploy.gotemplate.nodes import (
    ActionNode,
    Body,
    BranchNode,
    JumpNode,
    Node,
    TemplateCallNode,
    TextNode,
)
from ensue.deploy.gotemplate.pipelines import PipelineReader

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_WORDS: Final = frozenset(
    {"if", "with", "range", "else", "end", "define", "block", "template", "break", "continue"}
)


class Parsed(msgspec.Struct, frozen=True):
    """A template and the templates that it defines.

    Args:
        body: the nodes to render.
        definitions: the templates of `define` and `block`, by name.
        functions: the names of all functions that are called.
    """

    body: Body
    definitions: Mapping[str, Body]
    functions: frozenset[str]


def parse(source: str, functions: Collection[str], refused: Mapping[str, str]) -> Parsed:
    """Parse a template.

    Args:
        source: its text.
        functions: the names of the functions that it may call.
        refused: functions that are known but not offered, with the reason.

    Raises:
        TemplateSyntaxError: it does not parse, or uses an unknown function, variable or template.
    """
    return _TemplateParser(source, functions, refused).parse()


class _TemplateParser(PipelineReader):
    def __init__(self, source: str, functions: Collection[str], refused: Mapping[str, str]) -> None:
        super().__init__(tokens_of(source), functions, refused)
        self._definitions: dict[str, Body] = {}
        self._loops = 0

    def parse(self) -> Parsed:
        body, end = self._body(is_top=True)
        if end.kind != "end":
            raise TemplateSyntaxError(f"`{end.text}` has no block to belong to", end.offset, help="Remove it")
        return Parsed(body, self._definitions, frozenset(self._used))

    def _body(self, *, is_top: bool = False) -> tuple[Body, Token]:
        """Parse up to `end`, `else` or the end of the text; return what ended it."""
        nodes: list[Node] = []
        while True:
            token = self._next()
            if token.kind == "end":
                return tuple(nodes), token
            if token.kind == "text":
                nodes.append(TextNode(token.text, token.offset))
                continue
            word = self._peek()
            if word.kind != "word" or word.text not in _WORDS:
                nodes.append(ActionNode(self._pipeline("an action", "right"), token.offset))
                continue
            self._next()
            if word.text in {"end", "else"}:
                return tuple(nodes), word
            node = self._statement(word, is_top=is_top)
            if node is not None:
                nodes.append(node)

    def _statement(self, word: Token, *, is_top: bool) -> Node | None:
        if word.text in {"if", "with", "range"}:
            return self._branch(word)
        if word.text == "define":
            if not is_top:
                raise TemplateSyntaxError(
                    "`define` is inside a block", word.offset, help="Move it to the top level"
                )
            self._define(word)
            return None
        if word.text == "block":
            return self._block(word)
        return self._template(word) if word.text == "template" else self._jump(word)

    def _jump(self, word: Token) -> JumpNode:
        if not self._loops:
            raise TemplateSyntaxError(
                f"`{word.text}` is outside of `range`", word.offset, help="Use it in a `range`"
            )
        self._expect("right", "`}}`")
        return JumpNode(word.text, word.offset)

    def _branch(self, word: Token) -> BranchNode:
        self._deeper(word)
        seen = len(self._variables)
        pipeline = self._pipeline(f"`{word.text}`", "right", most_names=2 if word.text == "range" else 1)
        self._loops += word.text == "range"
        body, end = self._body()
        self._loops -= word.text == "range"
        otherwise: Body = ()
        if end.text == "else" and end.kind == "word":
            otherwise = self._otherwise(word)
        else:
            self._end_of(word, end)
        del self._variables[seen:]
        self._levels -= 1
        return BranchNode(word.text, pipeline, body, otherwise, word.offset)

    def _otherwise(self, word: Token) -> Body:
        following = self._peek()
        if following.kind == "word" and following.text == word.text and word.text in {"if", "with"}:
            self._next()
            return (self._branch(following),)
        self._expect("right", "`}}` after `else`")
        body, end = self._body()
        self._end_of(word, end)
        return body

    def _end_of(self, word: Token, end: Token) -> None:
        if end.kind == "end":
            raise TemplateSyntaxError(
                f"`{word.text}` has no `end`", word.offset, help="Close it with `{{ end }}`"
            )
        if end.text == "else":
            raise TemplateSyntaxError(
                f"`{word.text}` has a second `else`", end.offset, help="Remove one of them"
            )
        self._expect("right", "`}}` after `end`")

    def _define(self, word: Token) -> None:
        name = self._name(word)
        self._expect("right", "`}}` after the name of the template")
        self._definition(word, name)

    def _block(self, word: Token) -> TemplateCallNode:
        name = self._name(word)
        pipeline = self._pipeline("`block`", "right")
        self._definition(word, name)
        return TemplateCallNode(name, pipeline, word.offset)

    def _definition(self, word: Token, name: str) -> None:
        self._deeper(word)
        outer, self._variables = self._variables, ["$"]
        loops, self._loops = self._loops, 0
        body, end = self._body()
        self._end_of(word, end)
        self._variables, self._loops = outer, loops
        self._levels -= 1
        has_content = any(not isinstance(node, TextNode) or node.text.strip() for node in body)
        if name in self._definitions and has_content and self._definitions[name]:
            raise TemplateSyntaxError(
                f"the template {name!r} is defined twice", word.offset, help="Rename one of them"
            )
        if has_content or name not in self._definitions:
            self._definitions[name] = body

    def _template(self, word: Token) -> TemplateCallNode:
        name = self._name(word)
        if self._peek().kind == "right":
            self._next()
            return TemplateCallNode(name, None, word.offset)
        return TemplateCallNode(name, self._pipeline("`template`", "right"), word.offset)

    def _name(self, word: Token) -> str:
        token = self._next()
        text = self._string(token) if token.kind in {"string", "raw"} else None
        if text is None:
            raise TemplateSyntaxError(
                f"`{word.text}` has no name", token.offset, help=f'Write `{{{{ {word.text} "name" … }}}}`'
            )
        return text
