"""The languages Satchel reads, one row each, and how a file's language is recognised.

Adding a language is adding a row here and a query file in `queries/` (see `indexer.language`).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePosixPath

from indexer import embedded, outline, outline_code, outline_config, outline_markup, prepare
from indexer.language import Language, VisibilityRule

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python",
        (".py", ".pyi", ".pyw"),
        ("SConstruct", "SConscript", "wscript"),
        ("python", "python3", "python2"),
        grammar="python",
        query="python",
        visibility=VisibilityRule.UNDERSCORE,
        self_names=("self", "cls"),
        constructors=("__init__", "__new__"),
    ),
    Language(
        "go",
        (".go",),
        grammar="go",
        query="go",
        visibility=VisibilityRule.CAPITAL,
        self_names=(),
        test_marker=r"\*testing\.[BFMT]\b|\btesting\.TB\b",
    ),
    Language(
        "c",
        (".c", ".h"),
        grammar="c",
        query="c",
        sniff=prepare.c_or_cpp,
        prepare=prepare.without_macros,
        visibility=VisibilityRule.LABELS,
        self_names=(),
    ),
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp", ".inl", ".ixx", ".cu"),
        grammar="cpp",
        query="cpp",
        prepare=prepare.without_macros,
        visibility=VisibilityRule.LABELS,
        self_names=("this",),
        separator="::",
        test_marker=r"(?m)^\s*(TYPED_)?TEST(_[FP])?\s*\(",
    ),
    Language(
        "swift",
        (".swift", ".swiftinterface"),
        interpreters=("swift",),
        grammar="swift",
        query="swift",
        prepare=prepare.without_conditions,
        default_visibility="internal",
        self_names=("self", "Self"),
        constructors=("init",),
        test_marker=r"@Test\b|\bfunc\s+test[A-Z_0-9]\w*\s*\(\s*\)\s*(?:async\s*)?(?:throws\s*)?$",
    ),
    Language(
        "elixir",
        (".ex", ".exs"),
        interpreters=("elixir",),
        grammar="elixir",
        query="elixir",
        self_names=("__MODULE__",),
        test_marker=r"(?m)^\s*(?:test|describe|property)\s",
    ),
    Language(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs", ".es6"),
        ("Jakefile",),
        ("node", "nodejs"),
        grammar="javascript",
        query="ecmascript+javascript+jsx",
        visibility=VisibilityRule.EXPORT,
        self_names=("this",),
        constructors=("constructor",),
    ),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        interpreters=("deno", "ts-node", "tsx", "bun"),
        grammar="typescript",
        query="ecmascript+typescript",
        prepare=prepare.typescript,
        visibility=VisibilityRule.EXPORT,
        self_names=("this",),
        constructors=("constructor",),
    ),
    Language(
        "tsx",
        (".tsx",),
        grammar="tsx",
        query="ecmascript+typescript+jsx",
        visibility=VisibilityRule.EXPORT,
        self_names=("this",),
        constructors=("constructor",),
    ),
    Language(
        "haskell",
        (".hs", ".hs-boot", ".hsc"),
        interpreters=("runhaskell", "runghc", "stack", "cabal"),
        grammar="haskell",
        query="haskell",
        self_names=(),
        separator="",
    ),
    Language(
        "lua",
        (".lua", ".rockspec", ".wlua", ".nse"),
        (".luacheckrc",),
        ("lua", "luajit", "texlua"),
        grammar="lua",
        query="lua",
        visibility=VisibilityRule.UNDERSCORE,
        self_names=("self",),
        constructors=("new", "__init", "init"),
    ),
    Language(
        "bash",
        (".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".eclass"),
        (
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".bash_login",
            ".bash_logout",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".kshrc",
            "PKGBUILD",
            "APKBUILD",
        ),
        ("sh", "bash", "zsh", "ksh", "dash", "ash", "bats"),
        grammar="bash",
        query="bash",
        prepare=prepare.shell,
        self_names=(),
        test_marker=r"(?m)^\s*@test\s",
    ),
    Language(
        "zig",
        (".zig", ".zon"),
        grammar="zig",
        query="zig",
        default_visibility="private",
        self_names=("self", "Self"),
        constructors=("init",),
        test_marker=r"(?m)^\s*test\b",
    ),
    Language(
        "csharp",
        (".cs", ".csx"),
        interpreters=("dotnet-script",),
        grammar="csharp",
        query="csharp",
        default_visibility="internal",
        self_names=("this", "base"),
        test_marker=r"\[(?:\w+,\s*)*(?:Fact|Theory|(?:Data)?Test(?:Method|Case)?)\b",
    ),
    Language(
        "kotlin",
        (".kt", ".kts"),
        interpreters=("kotlin", "kotlinc"),
        grammar="kotlin",
        query="kotlin",
        self_names=("this", "super"),
        test_marker=r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b",
    ),
    Language(
        "scala",
        (".scala", ".sc", ".sbt"),
        interpreters=("scala", "scala-cli"),
        grammar="scala",
        query="scala",
        self_names=("this", "super"),
        constructors=("this",),
        test_marker=r"@(?:\w+\.)*Test\b",
    ),
    Language(
        "proto",
        (".proto",),
        grammar="proto",
        query="proto",
    ),
    Language(
        "markdown",
        (".md", ".markdown", ".mdx", ".mdown", ".mkd", ".rmd", ".qmd", ".livemd"),
        outline=outline_markup.markdown,
    ),
    Language("rst", (".rst", ".rest"), outline=outline_markup.rst),
    Language("asciidoc", (".adoc", ".asciidoc", ".asc"), outline=outline_markup.asciidoc),
    Language("org", (".org",), outline=outline_markup.org),
    Language("latex", (".tex",), outline=outline_markup.latex),
    Language("html", (".html", ".htm", ".xhtml"), outline=outline_markup.html),
    Language(
        "toml",
        (".toml",),
        ("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile", "Gopkg.lock"),
        outline=outline_config.toml,
    ),
    Language(
        "ini",
        (".ini", ".cfg", ".conf", ".cnf", ".service", ".timer", ".socket", ".desktop", ".reg"),
        (
            ".editorconfig",
            ".gitconfig",
            ".gitmodules",
            ".flake8",
            ".pylintrc",
            ".coveragerc",
            ".npmrc",
        ),
        outline=outline_config.ini,
    ),
    Language(
        "yaml",
        (".yaml", ".yml"),
        (".clang-format", ".clang-tidy", "CITATION.cff"),
        outline=outline_config.yaml,
    ),
    Language(
        "json",
        (".json", ".jsonc", ".json5", ".webmanifest", ".geojson", ".avsc"),
        (".prettierrc", ".eslintrc", ".babelrc", "composer.lock", "Pipfile.lock"),
        outline=outline_config.json,
    ),
    Language(
        "dockerfile",
        (".dockerfile", ".containerfile"),
        ("Dockerfile", "Containerfile"),
        outline=outline_config.dockerfile,
    ),
    Language(
        "makefile",
        (".mk", ".mak", ".make"),
        ("Makefile", "makefile", "GNUmakefile", "BSDmakefile", "Kbuild"),
        ("make",),
        outline=outline_config.makefile,
    ),
    Language(
        "sql",
        (".sql", ".ddl", ".psql", ".pgsql", ".plsql", ".pks", ".pkb"),
        outline=outline_code.sql,
    ),
    Language("css", (".css", ".pcss", ".postcss"), outline=outline_code.css),
    Language("scss", (".scss", ".less"), outline=outline_code.css),
    Language("hcl", (".tf", ".tfvars", ".hcl"), outline=outline_code.hcl),
    Language("graphql", (".graphql", ".gql", ".graphqls"), outline=outline_code.graphql),
    Language("cmake", (".cmake",), ("CMakeLists.txt",), outline=outline_code.cmake),
    Language(
        "php",
        (".php", ".phtml", ".php3", ".php4", ".php5", ".phpt"),
        interpreters=("php",),
        grammar="php",
        query="php",
        self_names=("$this", "self", "static", "parent"),
        constructors=("__construct",),
        separator="\\",
        test_marker=r"@test\b|#\[(?:\w+\\)*Test\b|\bfunction\s+test\w*\s*\(",
    ),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder", ".thor"),
        ("Rakefile", "Gemfile", "Guardfile", "Podfile", "Fastfile", "Vagrantfile", "Brewfile"),
        ("ruby", "jruby", "rake"),
        grammar="ruby",
        query="ruby",
        visibility=VisibilityRule.LABELS,
        self_names=("self",),
        constructors=("initialize",),
        separator="::",
        test_marker=r"(?m)^\s*def\s+test_\w",
    ),
    Language(
        "erb",
        (".erb", ".rhtml"),
        grammar="ruby",
        query="ruby",
        prepare=embedded.ruby_of_erb,
        visibility=VisibilityRule.LABELS,
        self_names=("self",),
        separator="::",
    ),
    Language(
        "rust",
        (".rs",),
        grammar="rust",
        query="rust",
        default_visibility="private",
        self_names=("self", "Self"),
        separator="::",
        test_marker=r"(?m)^\s*#\[(?:(?:\w+::)*(?:test|rstest|bench|test_case)\b|cfg\((?:all\()?test\b)",
    ),
    Language(
        "java",
        (".java",),
        grammar="java",
        query="java",
        default_visibility="internal",
        self_names=("this",),
        test_marker=r"(?m)^\s*@(?:\w+\.)*(?:Parameterized|Repeated)?Test(?:Factory|Template)?\b",
    ),
    Language("text", (".txt", ".text"), outline=outline.paragraphs),
)

TEXT = "text"


@cache
def _tables() -> tuple[dict[str, Language], dict[str, Language], dict[str, Language]]:
    by_extension = {e: language for language in LANGUAGES for e in language.extensions}
    by_filename = {f: language for language in LANGUAGES for f in language.filenames}
    by_interpreter = {i: language for language in LANGUAGES for i in language.interpreters}
    return by_extension, by_filename, by_interpreter


@cache
def by_name(name: str) -> Language:
    """The row called `name`.

    Raises:
        KeyError: there is none.
    """
    return {language.name: language for language in LANGUAGES}[name]


_SHEBANG = re.compile(rb"#!\s*\S*?([^/\s]+)(?:[ \t]+(?:-\S+[ \t]+)*([^\s/]+))?")


def detect(path: str, head: bytes = b"") -> Language:
    """The language of a file by name, then by extension, then by `#!` line; plain text at last.

    `head` is the start of the file; 4096 bytes tell a C++ header from a C one, 128 do for the rest.
    """
    by_extension, by_filename, by_interpreter = _tables()
    name = PurePosixPath(path).name
    if name in by_filename:
        return by_filename[name]
    suffixes = PurePosixPath(name).suffixes
    for start in range(len(suffixes)):
        suffix = "".join(suffixes[start:])
        found = by_extension.get(suffix) or by_extension.get(suffix.lower())
        if found:
            return by_name(found.sniff(head)) if found.sniff else found
    stem = name.partition(".")[0]
    if stem in by_filename:
        return by_filename[stem]
    shebang = _SHEBANG.match(head)
    if shebang:
        program, argument = shebang[1].decode("ascii", "replace"), shebang[2]
        if program == "env" and argument:
            program = argument.decode("ascii", "replace")
        program = program.rstrip("0123456789.")
        if program in by_interpreter:
            return by_interpreter[program]
    return by_name(TEXT)
