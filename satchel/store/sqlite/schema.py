"""The on-disk format, as one commented string, and the two version numbers it is known by.

The index is a cache of the working tree: on any mismatch it is rebuilt, never migrated. Some names
on disk are older than those in the code: `text` is the content generation, `seal` a checksum,
`behind` the keys on which stale edges depend, `rewritten` the log of chunk ids, `mtime_ns` the
`times_ns` of a `FileStat`.

FORMAT_VERSION  layout of the tables; a new number rebuilds the index
  1  first layout
  2  checksums: of vectors, and in whatever is compressed
  3  the stat of skipped files; contents that no file has any more
  4  a checksum of meta
  5  flows; what the edges of a file depend on
  6  edges may be stale: state 'linking', `behind`, files without `depends`
  7  a log of the chunk ids that went to other chunks
  8  signatures of texts
  9  where skipped links lead
 10  encodings, line ends, notebooks (`indexer.languages.decode`); why bytes were refused
 11  more folders and names of tests
 12  folders of tests in Bash and Lua at any depth
 13  what files were before they changed
 14  edges of files that a switched branch may bring back
 15  the shape of files; edges that two branches share are kept once
 16  by which rules the paths were chosen
 17  what a switched branch rewrites; lines of kept edges apart from the rest
 18  rules by which paths were chosen and what a switched branch rewrites are not kept, and lines of
     kept edges not apart
 19  edges depend on single names of scopes and of what files import
FACTS_VERSION   what `indexer.extract.analyze` or `store.terms` make of the same bytes, and the call
                graph of the same facts
  1  first extraction rules
  2  parts of long pieces are placed by the estimate alone
  3  flows, and calls of what is not a name
  4  values in more languages, longer receivers
  5  a result is the first thing after `return` in JavaScript and TypeScript
  6  no comment is part of a signature
  7  secrets are no part of facts
  8  values that are never read, keys, loops, what a name further out is given
  9  functions that are bound or partly applied, mixins, prototypes that inherit
  10 chunks that only import
  11 copies of names that get another value, what Object.assign replaces, constants of modules
  12 methods that operators run, patterns, checks of a class, results of generators
 13 classes in pairs, queues, context variables, protocols and members by name in Python
 14 constructors that subclasses run, members of subclasses, words that are keywords elsewhere
 15 `testing` at the top and `_tests` are test folders in Python
 16 `module.exports = class Name` is called by its name; CommonJS in JavaScript only; members of
    packages that are not here are guessed by no name in JavaScript and TypeScript
 17 signatures of prototypes end in a semicolon, and edges lead to what they announce
 18 arguments of calls tell overloads of Kotlin apart
 19 packages of Go are one value, however many files they have
 20 what packages outside bring is guessed by no name, class methods of Python give instances of the
    class they are called on; what lies in a type is not meant by its bare name elsewhere, nor
    members that libraries have
 21 test_helpers of Rust are tests; extensions of Kotlin may lie in several files of a package
 22 components of Vue, Svelte and Astro; names of composables need no import
 23 scopes and associations of Rails; macros of C++ that end in a condition, and overloads of one
    file; folders such as __testfixtures__ hold tests
 24 what no row reads is code, called by its extension, outlined by the words of declarations
 26 fourteen languages are parsed, Dart to OCaml, HCL with uses of addresses
 27 outlines of 26 languages without a grammar; extensions that formats share go by content
 28 what the grammars of Groovy and PowerShell lose; clauses of Erlang, names with metadata;
    test folders of Dart
 29 names that are read: getters, words alone, functions that are handed on
 30 what implements an interface may run whoever makes it; types of promoted parameters of PHP
 31 variables hide what has their name, however they are bound
 32 types of Kotlin with several annotations, extension blocks of C#; what was declared and lost
 33 bundles that are named after a digest of their content are left out
 34 types of one letter that a file imports; an enum whose constant is named
 35 instances of a class that a variable holds may have a method of the tree
 36 what is published runs its handlers; what modules of HCL give and get
 37 names of Python in one form, operators of one's own, computed members of Vue
 38 a plain word is no name of an event
  39 what variables hold and functions that are handed on in more languages; no guess behind what is
     plainly outside
  40 heads of several lines, braces of their own lines and arrow functions of unknown languages
  41 what fixtures, topics, subscribers of Symfony and abstract classes lead to
  42 calls, values at the margin and clauses in the text of languages without a grammar
  43 what annotations of listeners are given
  44 names of F# with blanks
  45 what modules of other files are mixed in, in Ruby
  46 what functions without a name, loops and patterns get; types that comments tell
  47 functions that are put into fields from elsewhere, fixtures and providers by other names
  48 nothing calls itself by a guess
  49 variables of casts and type switches; Scala's companions; macros in templates
  50 files that are modules, methods that are called as functions, messages and chains of calls;
     interfaces of OCaml; blocks of packages; nothing before code on a line is above what follows
  51 macros before declarations of C and C++, constructors of Kotlin below the name, flags of Rust
  52 what Groovy and PowerShell declare, by braces; subs of Perl that are declared ahead, branches
     of `case` that go on, fields and members of Julia, addresses of two labels
  53 casts, narrowed names, what functions without a name return, results where no type is declared
  54 what a parser lost is declared by its keyword and ends by its indentation; types that it cut
     are whole; parentheses and heads split by an `#if`, words of Swift before expressions
  55 languages by `#!` and `<?php`, and of more extensions that several share
  56 parts of patterns, receivers of blocks, functions in fields of C, objects as this, bare new
  57 options of Vue in scripts; magics of notebooks behind `=` and in blocks
  58 what packages give is outside; helpers of tests; blocks of instances
  59 bases of classes of Objective-C that headers name, scripts that GDScript extends, more of
     Ada
  60 tables of Lua as classes, fixtures of rstest, data of tests by nameof
  61 processes of Nextflow, functions of assembly in Solidity, fields by parameters of
     constructors
  62 ranges, loops and availability that grammars do not know, lexers and parsers of OCaml
  63 fields of a Java file that is a class
  64 enums of Scala on one line
  65 modules that pcall requires, what new makes in Go, types outside that the tree implements
  66 definitions of unknown languages by signatures, arrows, let, and names with hyphens
  67 classes that containers are asked for, names that tests narrow
  68 lines that only a keyword explains are not understood
  69 a method of a list is no call of its elements
  70 nor is one of a collection whose type is declared
  71 type parameters by what they are bound to, guards, `out var`, classes given to annotations
  72 macros before constructors and within declarations, prototypes of Objective-C
  73 `static accessor`, `if consteval`, `allows ref struct`, backing fields, `@all:`
  74 operators and brackets run methods in eight languages, `len` and `del` in Python, setters;
     key paths of Swift, objects of Scala that are called, `require` of Lua as a value
  75 functions handed on in Solidity, events of Rust
  76 what fills in a function of C++ that is only virtual
  77 what `with`, loops, conversions and operators of more languages run, operators beside classes,
     scripts of Godot by their paths, instances of modules, texts of PHP that are called
  78 operators beside the class they are of, and conversions where only one is there
  79 what names its source map was built and is left out
  80 members of types under other names; declared types, operators and references of Groovy;
     variables of patterns and `{x:}` of Ruby
  81 `self` is no use where tests and fixtures have it as a parameter
"""

FORMAT_VERSION = 19
FACTS_VERSION = 81
APPLICATION_ID = 0x5A7C4E1  # "satchel", as far as 32 bits go

# SQLite keeps the text of each statement, comments inside of it included, and validation compares
# that text: a comment between the brackets is a part of the format.
DDL = """
-- One row a key: generation, text (the content generation: the one that last changed more than
-- edges), state ('building' | 'linking': some edges are stale | 'complete'), next_chunk (where the
-- search for free ids goes on, see store.sqlite.chunk_ids), next_symbol, head (the commit that was
-- indexed, when there is one), tests (the patterns by which the project tells its tests, a line
-- each), rewritten (since which generation the log of that name is whole), seal (see
-- store.sqlite.checksum). The versions of the format and of facts are in PRAGMA user_version.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- What bytes say by themselves; shared by every path and branch that holds the same bytes.
CREATE TABLE contents (
    digest   TEXT NOT NULL,          -- BLAKE2b-128 of the bytes, hex
    language TEXT NOT NULL,
    facts    BLOB NOT NULL,          -- zstd of msgpack of FileFacts
    source   BLOB NOT NULL,          -- zstd of the bytes
    postings BLOB NOT NULL,          -- zstd of msgpack of FilePostings, path left out
    flows    BLOB NOT NULL,          -- zstd of msgpack of the flows, which `facts` leaves out
    UNIQUE (digest, language)
);

-- Which trigrams the bytes hold, for the search of exact text; see store.grams. Droppable: a file
-- without a row is read whenever something is looked for.
CREATE TABLE grams (
    digest    TEXT NOT NULL, language TEXT NOT NULL,
    signature BLOB NOT NULL,
    PRIMARY KEY (digest, language)
) WITHOUT ROWID;

-- Contents that no file has any more, kept for when they come back; the oldest are dropped first.
CREATE TABLE retired (
    digest     TEXT NOT NULL, language TEXT NOT NULL,
    generation INTEGER NOT NULL,     -- when the last file let go of them
    bytes      INTEGER NOT NULL,     -- what they take, vectors included
    PRIMARY KEY (digest, language)
) WITHOUT ROWID;

-- What paths held until a refresh found something else there, oldest first; the row with the empty
-- path says since when. See store.sqlite.earlier.replaced.
CREATE TABLE replaced (
    id       INTEGER PRIMARY KEY,
    path     BLOB NOT NULL,
    until_ns INTEGER NOT NULL,
    digest   TEXT NOT NULL,          -- '' where there was no file
    language TEXT NOT NULL,
    is_test  INTEGER NOT NULL,
    seal     BLOB NOT NULL           -- BLAKE2b-64 of the columns above but the id
);

-- The working tree as of `generation`. Paths are bytes, relative, '/'-separated.
CREATE TABLE files (
    id       INTEGER PRIMARY KEY,
    path     BLOB NOT NULL UNIQUE,
    digest   TEXT NOT NULL,
    language TEXT NOT NULL,
    size     INTEGER NOT NULL,       -- bytes
    mtime_ns INTEGER NOT NULL,
    inode    INTEGER NOT NULL,
    n_lines  INTEGER NOT NULL,
    is_test  INTEGER NOT NULL,       -- by path convention
    first_chunk  INTEGER NOT NULL,   -- chunk ids of a file are consecutive
    n_chunks     INTEGER NOT NULL,
    first_symbol INTEGER NOT NULL,   -- the file's module symbol, then its symbols in source order
    n_symbols    INTEGER NOT NULL,
    shape    BLOB NOT NULL           -- BLAKE2b-64 of which symbols it has, see store.sqlite.rows
);
CREATE INDEX files_digest ON files (digest);

-- What was left out. The stat is 0 unless the file was read and its bytes were refused.
CREATE TABLE skipped (
    path   BLOB PRIMARY KEY, reason TEXT NOT NULL, detail TEXT NOT NULL,
    size   INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE problems (
    file_id INTEGER NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX problems_file ON problems (file_id);

CREATE TABLE chunks (
    id         INTEGER PRIMARY KEY,
    file_id    INTEGER NOT NULL,
    symbol_id  INTEGER,              -- the symbol it belongs to, NULL for none
    kind       TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
    header     TEXT NOT NULL,
    tokens     INTEGER NOT NULL,     -- cl100k_base, see satchel.store.model.Chunk
    is_test    INTEGER NOT NULL      -- by path or by an inline test marker
);

-- The log of chunk ids: ranges that a file got or lost, and the content generation that did so; see
-- store.sqlite.chunk_id_log.
CREATE TABLE rewritten (
    text INTEGER NOT NULL, first_chunk INTEGER NOT NULL, n_chunks INTEGER NOT NULL,
    PRIMARY KEY (text, first_chunk, n_chunks)
) WITHOUT ROWID;

CREATE TABLE symbols (
    id         INTEGER PRIMARY KEY,
    file_id    INTEGER NOT NULL,
    name       TEXT NOT NULL,
    qualified  TEXT NOT NULL,
    kind       TEXT NOT NULL,
    line       INTEGER NOT NULL,     -- of the name
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
    signature  TEXT NOT NULL,
    doc        TEXT NOT NULL,
    visibility TEXT NOT NULL,
    parent_id  INTEGER,
    is_test    INTEGER NOT NULL
);
CREATE INDEX symbols_name ON symbols (name);

-- Uses as written. One that resolves to nothing stays: the next edit may add what it means.
CREATE TABLE refs (
    file_id  INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,       -- the symbol that uses it; the module symbol at top level
    name     TEXT NOT NULL,
    receiver TEXT NOT NULL,
    kind     TEXT NOT NULL,
    line     INTEGER NOT NULL
);
CREATE INDEX refs_name ON refs (name);
CREATE INDEX refs_file ON refs (file_id);

CREATE TABLE imports (
    file_id INTEGER NOT NULL, module TEXT NOT NULL, name TEXT NOT NULL, alias TEXT NOT NULL,
    line    INTEGER NOT NULL
);
CREATE INDEX imports_file ON imports (file_id);

-- Derived from symbols, refs and imports of all files; droppable.
CREATE TABLE edges (
    source_id  INTEGER NOT NULL,
    target_id  INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    line       INTEGER NOT NULL,     -- of the first use, in the source's file
    rule       TEXT NOT NULL,        -- which rule resolved it
    confidence REAL NOT NULL,        -- 0 to 1
    PRIMARY KEY (source_id, target_id, kind)
) WITHOUT ROWID;
CREATE INDEX edges_target ON edges (target_id);

-- What the edges of a file were derived from in other files; see `indexer.callgraph.linker`. A file
-- without a row has stale edges, which are to be derived again.
CREATE TABLE depends (
    file_id INTEGER PRIMARY KEY,
    kept    INTEGER NOT NULL,        -- the row of `kept_edges` that has the same edges; 0 for none
    keys    BLOB NOT NULL            -- sorted 32-bit hashes, little-endian
);
-- Keys whose meaning has changed: the edges that depend on them are stale, and which files those
-- edges are in has not been looked up yet.
CREATE TABLE behind (key INTEGER PRIMARY KEY);
-- What the edges of a file were while it had these bytes; see store.sqlite.earlier.kept_edges.
-- Droppable, as are the rows of `kept_moments`.
CREATE TABLE kept_edges (
    id    INTEGER PRIMARY KEY,       -- a hash of path, digest, language and edges
    path  BLOB NOT NULL, digest TEXT NOT NULL, language TEXT NOT NULL,
    keys  BLOB NOT NULL,             -- what they depend on, as in `depends`
    edges BLOB NOT NULL              -- zstd of msgpack of KeptFile
);
CREATE INDEX kept_edges_file ON kept_edges (path, digest, language);
-- At which moments they were that: while a row of `replaced` was the last one.
CREATE TABLE kept_moments (
    since INTEGER NOT NULL,          -- the id of that row
    kept  INTEGER NOT NULL,          -- the id of the row of `kept_edges`
    PRIMARY KEY (since, kept)
) WITHOUT ROWID;

-- The lexical index; see satchel.store.postings.
CREATE TABLE postings (
    term    TEXT NOT NULL,
    block   INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (term, block)
) WITHOUT ROWID;
CREATE TABLE field_lengths (field INTEGER PRIMARY KEY, total INTEGER NOT NULL);

-- One vector for each distinct chunk text and encoder; the vector index is rebuilt from here.
CREATE TABLE vectors (
    digest  TEXT NOT NULL,           -- of the file's bytes
    language TEXT NOT NULL,
    encoder TEXT NOT NULL,
    vectors BLOB NOT NULL,           -- n_chunks x dimensions, float16, in chunk order
    seal    BLOB NOT NULL,           -- BLAKE2b-64 of all of the above, see store.sqlite.vectors
    PRIMARY KEY (digest, language, encoder)
) WITHOUT ROWID;
CREATE INDEX vectors_encoder ON vectors (encoder, digest, language);  -- what has none, in 5 ms
"""

FORGET_KEPT_EDGES = "DELETE FROM kept_edges; DELETE FROM kept_moments;"
FORGET_EARLIER = f"DELETE FROM replaced; {FORGET_KEPT_EDGES}"
"""Kept edges go with the record: their moments are rows of it."""
