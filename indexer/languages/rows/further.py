"""Languages of apps, contracts and games, of scripts and data, and functional ones."""

from dataclasses import replace

from satchel.indexer.languages import operators
from satchel.indexer.languages.conventions import C_NAMES, C_TESTS, JVM_FOLDERS, JVM_NAMES
from satchel.indexer.languages.name_rules import FolderScope, MembersOutside, NameRules
from satchel.indexer.languages.rewriting import preprocess
from satchel.indexer.languages.rows import shared
from satchel.indexer.languages.rows.declared import GROOVY, POWERSHELL
from satchel.indexer.languages.spec import Language, TestConvention, VisibilityRule
from satchel.store.model import SymbolKind

OCAML_NAMES = NameRules(
    files_are_modules=True, header_extensions=(".mli",), members_outside=MembersOutside.ANYWHERE
)
OCAML_TESTS = TestConvention(r"test_.+\.mli?|.+_tests?\.mli?|tests?\.mli?", "tests?")

FURTHER: tuple[Language, ...] = (
    Language(
        "dart",
        (".dart",),
        interpreters=("dart",),
        grammar="dart",
        query="dart",
        visibility=VisibilityRule.UNDERSCORE,
        names=NameRules(
            members_outside=MembersOutside.ANYWHERE,
            type_before_name=True,
            calling_methods=frozenset({"call"}),
            operators=operators.DART,
        ),
        tests=TestConvention(r".+_test\.dart", "test|integration_test|test_driver", product="lib"),
    ),
    Language(
        "solidity",
        (".sol",),
        grammar="solidity",
        query="solidity",
        self_names=("this", "super"),
        constructors=("constructor",),
        names=NameRules(members_outside=MembersOutside.ANYWHERE, type_before_name=True),
        tests=TestConvention(r".+\.t\.sol|Test.+\.sol|.+Test\.sol", "tests?|mocks?"),
    ),
    Language(
        "gdscript",
        (".gd",),
        grammar="gdscript",
        sniff=shared.of_gd,
        query="gdscript",
        visibility=VisibilityRule.UNDERSCORE,
        constructors=("_init",),
        names=NameRules(files_are_classes=True, instance_maker="new"),
        tests=TestConvention(r"test_.+\.gd|.+_test\.gd", "tests?"),
    ),
    Language(
        "objc",
        (".m", ".mm"),
        # Headers come here by what is in them, see `of_header`.
        grammar="objc",
        query="objc",
        sniff=shared.of_m,
        prepare=preprocess.objective_c,
        visibility=VisibilityRule.LABELS,
        self_names=("self", "super"),
        family="c",
        names=replace(C_NAMES, instance_maker="alloc", classes_are_global=True),
        tests=replace(C_TESTS, name=r".*Tests?\.mm?|.+Spec\.mm?", folders=r"[tT]ests?|.*Tests"),
    ),
    Language(
        "groovy",
        (".groovy", ".gradle", ".gvy", ".nf"),
        ("Jenkinsfile",),
        ("groovy", "nextflow"),
        # The grammar knows commands and blocks alone, and calls most other things an error.
        grammar="groovy",
        query="groovy",
        declares=GROOVY,
        self_names=("this", "super"),
        test_marker=r"@(?:\w+\.)*Test\b",
        family="java",
        names=replace(
            JVM_NAMES,
            type_before_name=True,
            values_are_typed=False,
            operators=operators.GROOVY,
        ),
        tests=TestConvention(
            r".*(?:Tests?|Spec|Specification)\.groovy", JVM_FOLDERS, "tests?", "src/main"
        ),
    ),
    Language(
        "r",
        (".r", ".R"),
        (".Rprofile",),
        ("Rscript", "R"),
        grammar="r",
        query="r",
        self_names=("self", "private", "super"),
        separator="",  # a dot is part of a name
        test_marker=r"^(?:test_that|describe|it)(?:\(|$)",
        implicit_receiver=False,
        names=NameRules(folder_scope=FolderScope.LIKELY, instance_maker="new"),
        tests=TestConvention(r"test[-_.].+\.[rR]", "tests|testthat"),
    ),
    Language(
        "powershell",
        (".ps1", ".psm1"),
        interpreters=("pwsh", "powershell"),
        grammar="powershell",
        query="powershell",
        declares=POWERSHELL,
        self_names=("$this",),
        separator=":",
        sigil="$",
        test_marker=r"^(?:Describe|Context|It)\b",
        implicit_receiver=False,
        names=NameRules(),
        tests=TestConvention(r".+\.[tT]ests?\.ps1", "[tT]ests?|tst"),
    ),
    Language(
        "julia",
        (".jl",),
        interpreters=("julia",),
        grammar="julia",
        query="julia",
        self_names=(),
        test_marker=r"^@test(?:set|item)\b",
        implicit_receiver=False,
        names=NameRules(members_outside=MembersOutside.ANYWHERE),
        tests=TestConvention(r"runtests\.jl|test_.+\.jl|.+_tests?\.jl", "test"),
    ),
    Language(
        "perl",
        (".pl", ".pm", ".t", ".PL", ".psgi"),
        ("cpanfile", "Makefile.PL"),
        ("perl",),
        grammar="perl",
        query="perl",
        sniff=shared.of_pl,
        prepare=preprocess.perl,
        visibility=VisibilityRule.UNDERSCORE,
        self_names=("$self", "$class"),
        constructors=("new", "BUILD"),  # by convention: any sub may bless
        separator="::",
        implicit_receiver=False,
        names=NameRules(
            members_outside=MembersOutside.ANYWHERE, class_names=("$class",), instance_maker="new"
        ),
        tests=TestConvention(r".+\.t", "x?t|tests"),
    ),
    Language(
        "nix",
        (".nix",),
        grammar="nix",
        query="nix",
        self_names=(),
        implicit_receiver=False,
        names=NameRules(builtin_objects=frozenset({"builtins", "pkgs"})),
        tests=TestConvention(r"tests?\.nix|.+-tests?\.nix", "tests?"),
    ),
    Language(
        "hcl",
        (".tf", ".tfvars", ".hcl", ".tofu"),
        grammar="hcl",
        query="hcl",
        self_names=(),
        implicit_receiver=False,
        names=NameRules(folder_scope=FolderScope.PACKAGE, names_are_addresses=True),
        tests=TestConvention(r".+\.tftest\.hcl", "tests?"),
    ),
    Language(
        "clojure",
        (".clj", ".cljs", ".cljc", ".bb"),
        ("build.boot",),
        ("bb", "clojure", "clj"),
        grammar="clojure",
        query="clojure",
        self_names=("this",),
        makers=r"(?:(?:map)?->)?([A-Z]\w*)\.?",
        separator="/",
        test_marker=r"^\(\s*def(?:test|spec)\b",
        names=NameRules(
            members_outside=MembersOutside.ANYWHERE,
            called_without_receiver=frozenset({SymbolKind.INTERFACE}),
        ),
        tests=TestConvention(r".+_test\.clj[cs]?|test_.+\.clj[cs]?", "test|tests"),
    ),
    Language(
        "erlang",
        (".erl", ".hrl", ".escript"),
        ("rebar.config.script",),
        ("escript",),
        grammar="erlang",
        query="erlang",
        visibility=VisibilityRule.LABELS,  # what is exported is public
        self_names=("?MODULE",),
        separator=":",
        test_marker=r"^\w+_test_?\s*\(",
        names=NameRules(
            modules_have_whole_names=True,
            variables_are_capitalised=True,
            members_outside=MembersOutside.ANYWHERE,
        ),
        tests=TestConvention(r".+_(?:SUITE|tests?)\.erl|prop_.+\.erl", "tests?"),
    ),
    Language(
        "ocaml",
        (".ml", ".eliom"),
        interpreters=("ocaml",),
        grammar="ocaml",
        query="ocaml_types+ocaml",
        self_names=("self", "this"),
        test_marker=r"^let%(?:expect_)?test",
        names=OCAML_NAMES,
        tests=OCAML_TESTS,
    ),
    Language(
        "ocaml_interface",
        (".mli", ".eliomi"),
        grammar="ocaml_interface",
        query="ocaml_types",
        family="ocaml",
        names=OCAML_NAMES,
        tests=OCAML_TESTS,
    ),
)
