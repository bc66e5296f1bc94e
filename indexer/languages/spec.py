"""What it takes to read a language, as a value; `satchel.indexer.languages.detect` has the rows.

Extraction rules live in `queries/<query>.scm`. Capture names that a query may use:

    @definition.KIND   a whole definition, or its parts where they are neighbours; KIND is a
                       `SymbolKind` value
    @name              the defined, called or imported name (in the same match)
    @owner             text that qualifies the name: a Go receiver's type; several are joined
    @owner.WORD        with a definition: WORD qualifies the name
    @body              where the signature ends
    @wrap              a larger node that is part of the definition: decorators, `export`
    @doc               a docstring inside the definition
    @comment           a comment; whole-line ones right above a definition become its doc
    @decoration        an attribute or signature line right above a definition; part of it, not doc
    @export            with a definition: it is exported; else: the definition called @name is
    @access.WORD       with a definition: its visibility; alone: that of what follows it in the same
                       container (`private:`), unless the signature says otherwise
    @global            with a definition that only counts outside functions (else it is a local)
    @rest              with a definition that holds what follows in its block: `namespace x;`
    @whole             with a definition: its name says all, whatever it stands in
    @same              a node inside that is this very definition; it defines nothing by itself
    @clause            one of several neighbours of the same name that are one definition
    @call              a call, with @name and optionally @receiver
    @arguments         those of a call, which is then one without @call
    @uncalled          no call inside is one: a type specification
    @inherit @implement @type   a use of a type, with @name
    @provided          a text that names a function; it is used by what @at names, else around
    @bound             as @type without @name, of a name that the file imports, else a parameter
    @import            one import, with @module (several are joined) and optionally @name, @alias,
                       @wildcard; @default when it is the module's default export

Of two patterns that match the same node as a definition, the earlier one in the file names its
kind; `@wrap`, `@doc`, `@body`, `@owner` and `@access` are taken from any of them.

`(#type? @capture TYPE …)` keeps the matches in which a node is of one of the types. It costs a
quarter of a list of alternatives, whose every member waits for a match of its own; a pattern has at
most one. `#not-any-of?` is of no use: the binding takes it to hold where the text differs from any
of its values. A pattern begins at the start of a line, and its other lines do not begin with a
bracket that opens.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from satchel.indexer.languages.name_rules import NameRules
from satchel.indexer.languages.outline import Heading
from satchel.indexer.languages.outlines.braces import Declared


class VisibilityRule(StrEnum):
    """How a language says who may use a symbol."""

    KEYWORDS = "keywords"
    """By `public`, `private`, `protected`, `internal`, `pub` in the signature, else the default."""
    UNDERSCORE = "underscore"
    """A leading underscore is private (dunder names are public)."""
    CAPITAL = "capital"
    """A capital first letter is public."""
    LABELS = "labels"
    """By the query's `@access` alone, else the default."""
    EXPORT = "export"
    """Top-level definitions are internal unless the query says `@export`."""


_NO_NAME = "(?!)"
"""A pattern that matches nothing."""


@dataclass(frozen=True, slots=True)
class TestConvention:
    """Where a language's test code lies; each field is a pattern for a whole name.

    `folders` and `product` are tried on every parent folder, alone and as "parent/folder"; the
    outermost match decides, so nothing below `product` is a test. `top` is tried on folders at the
    top of the root or of a workspace member.
    """

    __test__ = False  # pytest would take it for a class of tests

    # Patterns and not lists: `test_*.py` and `*_test.py` need more than equal names.
    name: str = _NO_NAME
    folders: str = _NO_NAME
    top: str = _NO_NAME
    product: str = _NO_NAME


COMMON_TESTS = TestConvention(folders="tests|__tests__|testdata", top="test")
"""For languages without a convention of their own, and for files without a language."""
CODE_TESTS = TestConvention(
    name=r"(?i:tests?|spec)[._-].+|.+[._-](?i:tests?|spec)\.\w+|.*[a-z0-9](?:Tests?|TestCase|Spec)\.\w+",
    folders="[tT]ests|__tests__|testdata|spec",
    top="test|t",
)
"""For code of which nothing but its name is known."""


@dataclass(frozen=True, slots=True)
class FunctionNodes:
    """Types of syntax nodes by which functions that have a name are told from others.

    What a function without one returns is no result of the function around it.
    """

    named: frozenset[str] = frozenset()
    anonymous: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    """Parents that give an anonymous function their name."""
    members: frozenset[str] = frozenset()
    """Parents that do so in the literal of an object."""
    blocks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Language:
    """How to recognise and read one language.

    `family` names the languages that can use each other's definitions by the first of them; a
    language without one is a family of its own.
    `query` names a file in `queries/`, or several joined by "+" that are read as one.
    `grammar` is the name in tree-sitter-language-pack, "" for languages read by `outline` alone.
    `sniff` names the row that reads a file by how it starts, where languages share an extension.
    `prepare` blanks out what the grammar cannot read, keeping every byte offset.
    """

    name: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: str = ""
    query: str = ""
    sniff: Callable[[bytes], str] | None = None
    outline: Callable[[str], list[Heading]] | None = None
    uses: str = ""
    """A pattern for uses in a line that no brackets need follow, where there is no grammar: `name`,
    and what stands before it as `of`."""
    prepare: Callable[[bytes], bytes] | None = None
    declares: Callable[[bytes], list[Declared]] | None = None
    """What the source declares by its keywords, for files in which the grammar meets an error."""
    visibility: VisibilityRule = VisibilityRule.KEYWORDS
    default_visibility: str = "public"
    self_names: tuple[str, ...] = ("self", "this")
    implicit_receiver: bool = True
    """Whether a bare call may mean a method of the enclosing class."""
    implied_parameters: tuple[str, ...] = ()
    """Parameters that a function without a name has though it does not write them: `it`."""
    constructors: tuple[str, ...] = ()
    makers: str = ""
    """A pattern for names of functions that every class has: `->Item`; group 1 is the class."""
    separator: str = "."
    sigil: str = ""
    """What a variable begins with that is no part of its name."""
    test_marker: str = ""
    """A regular expression over decorations and signature; a match makes the symbol a test."""
    family: str = ""
    names: NameRules = field(default_factory=NameRules)
    """How the call graph finds what a name means."""
    tests: TestConvention = COMMON_TESTS
    """Which files are test code, by their paths."""
    functions: FunctionNodes = FunctionNodes()
    """Only for a query with `@returned`, in a language whose functions can be expressions."""
    import_statements: frozenset[str] = frozenset()
    """Only for a query with `@member`: types of the nodes around it that have a `source`."""

    @property
    def is_outlined_code(self) -> bool:
        """Whether it is code whose lines are all that is read of it, as its tests show."""
        return self.tests is CODE_TESTS
