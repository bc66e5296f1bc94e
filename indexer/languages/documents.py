"""Documents, configuration and data, one row each; see `satchel.indexer.languages.spec`."""

from __future__ import annotations

from satchel.indexer.languages import outline, outline_code, outline_config, outline_markup
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
    Language("gomod", (), ("go.mod",), outline=outline_config.gomod),
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
    Language("text", (".txt", ".text"), outline=outline.paragraphs),
)
