"""The shared vocabulary: frozen values for what a file says, without behaviour or storage ids.

Lines are 1-based and inclusive; bytes are 0-based and half-open. Paths are relative to the indexed
root, use "/" and are never absolute. Qualified names join their parts with "." in every language,
so `Signal.send` names a Python method, a Rust associated function and a C++ member alike.

Not here: how values are stored (`store.sqlite.schema`), how they are ranked (`assembler.weights`).
"""

from enum import StrEnum
from typing import NewType

from msgspec import Struct

RepoPath = NewType("RepoPath", str)
"""A path relative to the indexed root, "/"-separated; undecodable bytes are surrogate-escaped."""

Digest = NewType("Digest", str)
"""Lower-case hex BLAKE2b-128 of some bytes."""

Generation = NewType("Generation", int)
"""Counts the transactions that changed an index; 0 is an index that holds nothing yet."""


# Frozen values cannot form a cycle, so the garbage collector need not look at them. An index holds
# some hundred thousand; docs/decisions/layout_and_dependencies.md compares structs and
# dataclasses.
class Value(Struct, frozen=True, array_like=True, gc=False):
    """A frozen record that crosses process borders and the disk as one msgpack array.

    Appending a field with a default keeps old bytes readable; anything else needs a new
    `FACTS_VERSION`.
    """


class SymbolKind(StrEnum):
    """What a definition is, in words that fit every language."""

    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    TRAIT = "trait"
    STRUCT = "struct"
    ENUM = "enum"
    TYPE = "type"
    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    PROPERTY = "property"
    FIELD = "field"
    CONSTANT = "constant"
    VARIABLE = "variable"
    MACRO = "macro"
    EXTENSION = "extension"
    """Code that adds to a type defined elsewhere: a Rust impl, a Swift extension."""
    SECTION = "section"
    """A heading of a document, a table of a configuration file, a target of a makefile."""


FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
"""Kinds that can be called."""
WITH_CODE = FUNCTIONS | {SymbolKind.PROPERTY}
"""Kinds that may hold code: a property may be a function, which runs where it is read."""
TYPES = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.STRUCT, SymbolKind.ENUM,
     SymbolKind.TYPE}
)  # fmt: skip
"""Kinds whose names can stand for a type."""
CLASS_LIKE = (TYPES - {SymbolKind.TYPE}) | {SymbolKind.EXTENSION}
"""What has members: an alias of a type has none of its own; an extension has, and has no name."""


class Visibility(StrEnum):
    """Who may use a symbol, by the language's own keywords or naming convention."""

    PUBLIC = "public"
    PROTECTED = "protected"
    INTERNAL = "internal"
    PRIVATE = "private"


class ReferenceKind(StrEnum):
    """How one symbol uses another."""

    CALL = "call"
    INHERIT = "inherit"
    IMPLEMENT = "implement"
    TYPE = "type"
    READ = "read"
    """A name that is not called where it stands: it may run a getter, or hand a function on.

    What it runs or hands on is called: no edge is of this kind."""


BUILT_ON = frozenset({ReferenceKind.INHERIT, ReferenceKind.IMPLEMENT})
"""How a type refers to the types that it is built on."""


class ChunkKind(StrEnum):
    """What a chunk is mostly made of."""

    DEFINITION = "definition"
    """One symbol, or a few small neighbouring ones."""
    HEADER = "header"
    """The head of a container whose members have chunks of their own."""
    PART = "part"
    """A later piece of a definition that is too long for one chunk."""
    BLOCK = "block"
    """Lines between definitions: statements, prose."""
    IMPORTS = "imports"
    """Lines that do little but import."""


# Lines are for people and for answers, bytes for cutting the text without counting lines again.
class Span(Value, frozen=True):
    """A range of a file, as lines (1-based, inclusive) and as bytes (half-open)."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


class Symbol(Value, frozen=True):
    """A definition as one file states it.

    `span` covers decorators and the doc comment above, so it is what a reader would want to see.
    `parent` is the index of the enclosing symbol in the same file, -1 at top level. `signature` is
    the text up to the body on one line; `doc` is the comment or docstring, markers removed.
    """

    name: str
    qualified_name: str
    kind: SymbolKind
    span: Span
    line: int
    signature: str = ""
    doc: str = ""
    visibility: Visibility = Visibility.PUBLIC
    parent: int = -1
    is_test: bool = False


class Reference(Value, frozen=True):
    """A use of a name as written: `receiver.name` inside symbol number `scope` (-1: top level)."""

    name: str
    receiver: str
    kind: ReferenceKind
    scope: int
    line: int


class Import(Value, frozen=True):
    """One imported binding.

    `module` is as written ("os.path", "./util", "github.com/x/y"). `name` is the imported member,
    "*" for all of them, "" for the module itself. `alias` is the local name when it differs.
    """

    module: str
    name: str
    alias: str
    line: int


class Flow(Value, frozen=True):
    """Something that `place` may hold, inside symbol number `scope` (-1: top level), as written.

    `place` is a name, an attribute, an item ("self.x", "d['a']"), "return", "yield", "@" for what
    the symbol is decorated with, or "callee(" for the arguments of a call, which `value` then lists
    with their parentheses. `value` is an expression; after ": " a type; after "in " what is
    iterated over.
    """

    scope: int
    place: str
    value: str


# Chunks tile a file so that every byte can be found, whatever the parser made of it.
class Chunk(Value, frozen=True):
    """A piece of a file; the chunks of a file tile its bytes without gap or overlap.

    `symbol` is the index of the symbol the chunk belongs to (-1: none); later parts of a long
    function keep it. `header` is the scope line, "Class › method(signature)", without the path.
    `tokens` is the chunk's size in cl100k_base: estimated to about 13 %, exact where it is near one
    of the limits, 20 and 1,024.
    """

    span: Span
    kind: ChunkKind
    symbol: int
    header: str
    tokens: int
    is_test: bool = False


class ProblemKind(StrEnum):
    """A problem with a file that was indexed nevertheless."""

    SYNTAX = "syntax"
    """The parser met errors; `detail` says in how many lines no symbol was found for it."""
    LOST = "declared and not understood"
    """Lines declare, by a keyword, what is no symbol; `detail` says how many."""
    ENCODING = "encoding"
    """The bytes are not UTF-8; they were decoded with replacement characters."""
    LIMIT = "limit"
    """The file is beyond a parsing limit and was cut into lines instead."""
    CRASH = "crash"
    """The parser died or overran its deadline on this file; it was cut into lines instead."""
    GRAMMAR = "grammar"
    """The grammar of its language does not load here; the file was cut into lines instead."""


class Problem(Value, frozen=True):
    """A problem with where it starts; `detail` quotes nothing from the file."""

    kind: ProblemKind
    line: int
    detail: str = ""


class FileFacts(Value, frozen=True):
    """Everything one file says by itself: a pure function of its bytes and its language."""

    digest: Digest
    language: str
    n_lines: int
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    problems: tuple[Problem, ...] = ()
    flows: tuple[Flow, ...] = ()
    """Stored apart from the rest (see `satchel.store.codec`): only the call graph reads them."""


class SkipReason(StrEnum):
    """Why a path that exists is not in the index."""

    IGNORED = "ignored"
    BINARY = "binary"
    TOO_LARGE = "too-large"
    MINIFIED = "minified"
    GENERATED = "generated"
    """Generated by a program; `detail` names the program, or how the file was recognised."""
    VENDORED = "vendored"
    """A folder into which a package manager, named by `detail`, copied dependencies."""
    WORKTREE = "worktree"
    """A folder that git checked the same repository out into; from inside it is its own root."""
    LFS_POINTER = "lfs-pointer"
    """A pointer of git-lfs to a file that was not fetched; `detail` is the size of the file."""
    SYMLINK = "symlink"
    """A link to something inside the root, which is indexed at its real path.

    `detail` is the path it leads to, `ROOT_TARGET` for the root; "" where that is no text.
    """
    SYMLINK_OUTSIDE = "symlink-outside-root"
    SYMLINK_LOOP = "symlink-loop"
    SPECIAL = "not-a-regular-file"
    SECRET = "secret"
    """A file whose name says that it holds credentials; `detail` is their kind. It is not read."""
    RULES_CUT = "too-many-ignore-rules"
    """A file of ignore rules of which only the first part applies; `detail` says up to where."""
    UNREADABLE = "unreadable"
    VANISHED = "vanished"


ROOT_TARGET = "."
"""The target of a link that leads to the root."""


class Skipped(Value, frozen=True):
    """A path left out, with the reason and, where it helps, the rule or limit that decided."""

    path: RepoPath
    reason: SkipReason
    detail: str = ""
