"""Programming languages, one row each; see `satchel.indexer.languages.spec` for what a row says."""

from __future__ import annotations

from dataclasses import replace

from satchel.indexer.languages import preprocess
from satchel.indexer.languages.name_rules import (
    BareNames,
    FolderScope,
    ImportStyle,
    MembersOutside,
    NameRules,
)
from satchel.indexer.languages.spec import (
    FunctionNodes,
    Language,
    TestConvention,
    VisibilityRule,
)

_C_TESTS = TestConvention(
    name=r"test_.+|.+[_-](?:tests?|unittest|gtest)\.\w+|.*Tests?\.\w+",
    folders="tests|test|unittests?|gtest",
)
_JVM_NAME = r".*(?:Tests?|TestCase)|.*[a-z0-9]IT(?:Case)?"
_JVM_FOLDERS = (
    "src/(?:test|it|testFixtures)"
    # Gradle and Kotlin source sets: src/androidTest, src/integrationTest, src/commonTest.
    "|src/[a-z][A-Za-z0-9]*Test"
)
_ECMASCRIPT_TESTS = TestConvention(
    name=r".+[.-](?:test|spec|e2e|cy)\.[cm]?[jt]sx?",
    folders="__tests__|__mocks__|tests|cypress|e2e",
    top="test|spec",
)
_ECMASCRIPT_FUNCTIONS = FunctionNodes(
    named=frozenset({"function_declaration", "method_definition"}),
    anonymous=frozenset({"arrow_function", "function_expression"}),
    calls=frozenset({"arguments", "call_expression"}),
)
_ECMASCRIPT_IMPORTS = frozenset({"import_statement", "export_statement"})

_SCRIPT_NAMES = NameRules(
    imports=ImportStyle.SCRIPT,
    bare_names=BareNames.IN_FILE_OF_MODULES,
    members_outside=MembersOutside.SAME_FILE,
    last_definition_wins=True,
)
_C_NAMES = NameRules(
    members_outside=MembersOutside.ANYWHERE,
    header_extensions=(".h", ".hpp", ".hh", ".hxx", ".h++"),
    type_before_name=True,
)
_JVM_NAMES = NameRules(
    star_imports_namespaces=True,
    source_root=r"(?:.*/)?src/\w+/(?:java|kotlin|scala)(?:/|$)",
    folder_scope=FolderScope.PACKAGE,
    values_are_typed=True,
    types_are_capitalised=True,
)
_RUBY_NAMES = NameRules(
    members_outside=MembersOutside.ANYWHERE, instance_maker="new", modules_are_types=True
)

CODE: tuple[Language, ...] = (
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
        implicit_receiver=False,
        tests=TestConvention(
            r"test_.*\.pyi?|.+_test\.py|tests\.py|conftest\.py", "tests", "test|t"
        ),
        names=NameRules(
            imports=ImportStyle.DOTTED,
            imports_complete=True,
            bare_names=BareNames.IN_FILE,
            last_definition_wins=True,
            methods_see_class_names=False,
            class_names=("cls",),
            calls_through_local_names=True,
        ),
    ),
    Language(
        "go",
        (".go",),
        grammar="go",
        query="go",
        visibility=VisibilityRule.CAPITAL,
        self_names=(),
        test_marker=r"\*testing\.[BFMT]\b|\btesting\.TB\b",
        implicit_receiver=False,
        tests=TestConvention(r".+_test\.go", "testdata", "tests?|e2e"),
        names=NameRules(
            imports=ImportStyle.MODULE,
            imports_complete=True,
            bare_names=BareNames.IN_FILE,
            folder_scope=FolderScope.PACKAGE,
            members_outside=MembersOutside.SAME_FOLDER,
            values_are_typed=True,
            assignment_declares=True,
        ),
    ),
    Language(
        "c",
        (".c", ".h"),
        grammar="c",
        query="c",
        sniff=preprocess.c_or_cpp,  # nothing in a name tells the headers of C++ from those of C
        prepare=preprocess.without_macros,
        visibility=VisibilityRule.LABELS,
        self_names=(),
        tests=_C_TESTS,
        names=_C_NAMES,
    ),
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp", ".inl", ".ixx", ".cu"),
        grammar="cpp",
        query="cpp",
        prepare=preprocess.without_macros,
        visibility=VisibilityRule.LABELS,
        self_names=("this",),
        separator="::",
        test_marker=r"(?m)^\s*(TYPED_)?TEST(_[FP])?\s*\(",
        tests=_C_TESTS,
        family="c",
        names=_C_NAMES,
    ),
    Language(
        "swift",
        (".swift", ".swiftinterface"),
        interpreters=("swift",),
        grammar="swift",
        query="swift",
        prepare=preprocess.without_conditions,
        default_visibility="internal",
        self_names=("self", "Self"),
        constructors=("init",),
        test_marker=r"@Test\b|\bfunc\s+test[A-Z_0-9]\w*\s*\(\s*\)\s*(?:async\s*)?(?:throws\s*)?$",
        tests=TestConvention(r".*(?:Tests?|Spec)\.swift", r".*Tests"),
        names=NameRules(
            folder_scope=FolderScope.LIKELY,
            members_outside=MembersOutside.ANYWHERE,
            class_names=("Self",),
        ),
    ),
    Language(
        "elixir",
        (".ex", ".exs"),
        interpreters=("elixir",),
        grammar="elixir",
        query="elixir",
        self_names=("__MODULE__",),
        test_marker=r"(?m)^\s*(?:test|describe|property)\s",
        tests=TestConvention(r".+_test\.exs", "test"),
        names=NameRules(members_outside=MembersOutside.ANYWHERE),
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
        implicit_receiver=False,
        tests=_ECMASCRIPT_TESTS,
        functions=_ECMASCRIPT_FUNCTIONS,
        import_statements=_ECMASCRIPT_IMPORTS,
        names=_SCRIPT_NAMES,
    ),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        interpreters=("deno", "ts-node", "tsx", "bun"),
        grammar="typescript",
        query="ecmascript+typescript",
        prepare=preprocess.typescript,
        visibility=VisibilityRule.EXPORT,
        self_names=("this",),
        constructors=("constructor",),
        implicit_receiver=False,
        tests=_ECMASCRIPT_TESTS,
        functions=_ECMASCRIPT_FUNCTIONS,
        import_statements=_ECMASCRIPT_IMPORTS,
        family="javascript",
        names=_SCRIPT_NAMES,
    ),
    Language(
        "tsx",
        (".tsx",),
        grammar="tsx",
        query="ecmascript+typescript+jsx",
        visibility=VisibilityRule.EXPORT,
        self_names=("this",),
        constructors=("constructor",),
        implicit_receiver=False,
        tests=_ECMASCRIPT_TESTS,
        functions=_ECMASCRIPT_FUNCTIONS,
        import_statements=_ECMASCRIPT_IMPORTS,
        family="javascript",
        names=_SCRIPT_NAMES,
    ),
    Language(
        "haskell",
        (".hs", ".hs-boot", ".hsc"),
        interpreters=("runhaskell", "runghc", "stack", "cabal"),
        grammar="haskell",
        query="haskell",
        self_names=(),
        separator="",  # a dot is an operator
        tests=TestConvention(r".*(?:Spec|Tests?)\.hs", "tests?|spec"),
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
        constructors=("new", "__init", "init"),  # by convention: Lua has no classes
        implicit_receiver=False,
        tests=TestConvention(r".+_(?:spec|test)\.lua|test_.+\.lua", "spec|tests", "test"),
        names=NameRules(members_outside=MembersOutside.ANYWHERE),
    ),
    Language(
        "bash",
        (".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".eclass"),
        tuple(
            ".bashrc .bash_profile .bash_aliases .bash_login .bash_logout .profile .zshrc"
            " .zshenv .zprofile .zlogin .kshrc PKGBUILD APKBUILD".split()
        ),
        ("sh", "bash", "zsh", "ksh", "dash", "ash", "bats"),
        grammar="bash",
        query="bash",
        prepare=preprocess.shell,
        self_names=(),
        test_marker=r"(?m)^\s*@test\s",
        tests=TestConvention(r".+\.bats|test_.+\.sh|.+[_-]test\.sh", "tests", "test|t"),
    ),
    Language(
        "zig",
        (".zig", ".zon"),
        grammar="zig",
        query="zig",
        default_visibility="private",
        self_names=("self", "Self"),
        constructors=("init",),  # by convention alone
        test_marker=r"(?m)^\s*test\b",
        implicit_receiver=False,
        tests=TestConvention(r"tests?\.zig|.+_test\.zig|test_.+\.zig", "tests?"),
        names=NameRules(members_outside=MembersOutside.ANYWHERE, class_names=("Self",)),
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
        tests=TestConvention(r".*Tests?\.(?:cs|fs|vb)", r".*Tests?", "tests?"),
        names=NameRules(
            folder_scope=FolderScope.LIKELY,
            members_outside=MembersOutside.ANYWHERE,
            type_before_name=True,
        ),
    ),
    Language(
        "kotlin",
        (".kt", ".kts"),
        interpreters=("kotlin", "kotlinc"),
        grammar="kotlin",
        query="kotlin",
        self_names=("this", "super"),
        test_marker=r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b",
        tests=TestConvention(rf"(?:{_JVM_NAME})\.kts?", _JVM_FOLDERS, "tests?", "src/main"),
        family="java",
        names=_JVM_NAMES,
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
        tests=TestConvention(
            rf"(?:{_JVM_NAME}|.+Spec|.+Suite)\.scala", _JVM_FOLDERS, "tests?", "src/main"
        ),
        family="java",
        names=_JVM_NAMES,
    ),
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
        implicit_receiver=False,
        tests=TestConvention(r".*(?:Test|TestCase|Cest)\.php", "[tT]ests", "[tT]est"),
        names=NameRules(
            members_outside=MembersOutside.ANYWHERE,
            class_names=("self", "static"),
            type_before_name=True,
        ),
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
        tests=TestConvention(
            # A gem's `lib/` is product, whatever it is called inside: rack-test has lib/rack/test.
            r".+_(?:spec|test)\.rb|test_.+\.rb",
            "spec|tests?",
            "features",
            "lib",
        ),
        names=_RUBY_NAMES,
    ),
    Language(
        "erb",
        (".erb", ".rhtml"),
        grammar="ruby",
        query="ruby",
        prepare=preprocess.ruby_of_erb,
        visibility=VisibilityRule.LABELS,
        self_names=("self",),
        separator="::",
        family="ruby",
        names=_RUBY_NAMES,
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
        implicit_receiver=False,
        tests=TestConvention(r"tests\.rs|.+_tests?\.rs", "tests|benches"),
        names=NameRules(
            members_outside=MembersOutside.ANYWHERE,
            class_names=("Self",),
            # Types that stand under these names in traits are not what a bare call makes.
            prelude=frozenset({"Ok", "Err", "Some"}),
            transparent_methods=frozenset(
                "unwrap expect clone as_ref as_mut borrow borrow_mut lock to_owned"
                " unwrap_or_default ok".split()
            ),
        ),
    ),
    Language(
        "java",
        (".java",),
        grammar="java",
        query="java",
        default_visibility="internal",
        self_names=("this",),
        test_marker=r"(?m)^\s*@(?:\w+\.)*(?:Parameterized|Repeated)?Test(?:Factory|Template)?\b",
        tests=TestConvention(rf"(?:{_JVM_NAME})\.java", _JVM_FOLDERS, "tests?", "src/main"),
        names=replace(_JVM_NAMES, folders_are_packages=True, type_before_name=True),
    ),
)
