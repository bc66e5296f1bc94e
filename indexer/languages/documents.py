"""Documents, configuration and data, one row each; see `satchel.indexer.languages.spec`."""

from satchel.indexer.languages import outline, plain_text
from satchel.indexer.languages.outlines import config, declarations, markup
from satchel.indexer.languages.spec import Language

# No two rows share an extension or a name: a table by them would keep only one.
DOCUMENTS: tuple[Language, ...] = (
    Language(
        "proto",
        (".proto",),
        grammar="proto",
        query="proto",
    ),
    Language(
        "markdown",
        (".md", ".markdown", ".mdx", ".mdown", ".mkd", ".rmd", ".qmd", ".livemd"),
        outline=markup.markdown,
    ),
    Language("rst", (".rst", ".rest"), outline=markup.rst),
    Language("asciidoc", (".adoc", ".asciidoc", ".asc"), outline=markup.asciidoc),
    Language("org", (".org",), outline=markup.org),
    Language("latex", (".tex",), outline=markup.latex),
    Language("html", (".html", ".htm", ".xhtml"), outline=markup.html),
    Language(
        "toml",
        (".toml",),
        ("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile", "Gopkg.lock"),
        outline=config.toml,
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
        outline=config.ini,
    ),
    Language(
        "yaml",
        (".yaml", ".yml"),
        (".clang-format", ".clang-tidy", "CITATION.cff"),
        outline=config.yaml,
    ),
    Language(
        "json",
        (".json", ".jsonc", ".json5", ".webmanifest", ".geojson", ".avsc"),
        (".prettierrc", ".eslintrc", ".babelrc", "composer.lock", "Pipfile.lock"),
        outline=config.json,
    ),
    Language(
        "dockerfile",
        (".dockerfile", ".containerfile"),
        ("Dockerfile", "Containerfile"),
        outline=config.dockerfile,
    ),
    Language(
        "makefile",
        (".mk", ".mak", ".make"),
        ("Makefile", "makefile", "GNUmakefile", "BSDmakefile", "Kbuild"),
        ("make",),
        outline=config.makefile,
    ),
    Language("gomod", (), ("go.mod",), outline=config.gomod),
    Language(
        "sql",
        (".sql", ".ddl", ".psql", ".pgsql", ".plsql", ".pks", ".pkb"),
        outline=declarations.sql,
    ),
    Language("css", (".css", ".pcss", ".postcss"), outline=declarations.css),
    Language("scss", (".scss", ".less"), outline=declarations.css),
    Language("graphql", (".graphql", ".gql", ".graphqls"), outline=declarations.graphql),
    Language("cmake", (".cmake",), ("CMakeLists.txt",), outline=declarations.cmake),
    Language("text", plain_text.EXTENSIONS, plain_text.NAMES, outline=outline.paragraphs),
)
