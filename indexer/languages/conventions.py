"""Longer parts of rows, most of which several languages share: tests, functions, names."""

from dataclasses import replace

from satchel.indexer.languages import builtin_names, operators
from satchel.indexer.languages.name_rules import (
    BareNames,
    CallbackRules,
    FolderScope,
    ImportStyle,
    Library,
    MembersOutside,
    NameRules,
)
from satchel.indexer.languages.spec import FunctionNodes, TestConvention

C_TESTS = TestConvention(
    name=r"test_.+|.+[_-](?:tests?|unittest|gtest)\.\w+|.*Tests?\.\w+",
    folders="tests|test|unittests?|gtest",
)
JVM_NAME = r".*(?:Tests?|TestCase)|.*[a-z0-9]IT(?:Case)?"
JVM_FOLDERS = (
    "src/(?:test|it|testFixtures)"
    # Gradle and Kotlin source sets: src/androidTest, src/integrationTest, src/commonTest.
    "|src/[a-z][A-Za-z0-9]*Test"
)
KOTLIN_FOLDERS = (
    f"{JVM_FOLDERS}"
    # Source sets of multiplatform projects that leave `src` out: common/test, jvm/test.
    "|(?:common|jvm|js|wasm|wasmJs|web|native|nix|posix|linux|darwin|apple|ios|windows|desktop"
    "|android|jvmAndPosix|jsAndWasmShared|nonJvm)/test"
)
ECMASCRIPT_TESTS = TestConvention(
    # Deno's runner takes `a_test.ts` as well.
    name=r".+[.-](?:test|spec|e2e|cy)\.[cm]?[jt]sx?|.+_test\.[cm]?[jt]sx?",
    folders="__tests__|__mocks__|tests|cypress|e2e",
    top="test|spec",
)
ECMASCRIPT_FUNCTIONS = FunctionNodes(
    named=frozenset({"function_declaration", "method_definition"}),
    anonymous=frozenset({"arrow_function", "function_expression"}),
    holders=frozenset(
        {
            "variable_declarator",
            "assignment_expression",
            "field_definition",
            "public_field_definition",
            "export_statement",
        }
    ),
    members=frozenset({"pair"}),
    blocks=frozenset({"statement_block"}),
)
ECMASCRIPT_IMPORTS = frozenset({"import_statement", "export_statement"})

# By their last names: which module a function is imported from is not asked.
_CALLBACKS = CallbackRules()
_PYTHON_CALLBACKS = CallbackRules(
    storing=_CALLBACKS.storing | {"setdefault", "appendleft", "set_defaults"},
    not_calling=_CALLBACKS.not_calling.union(
        "str repr type isinstance issubclass id callable hasattr getattr setattr bool tuple dict"
        " frozenset vars dir staticmethod classmethod property partial partialmethod cast wraps"
        " lru_cache".split()
    ),
    calling={
        **_CALLBACKS.calling,
        **dict.fromkeys("starmap takewhile dropwhile to_thread call_soon".split(), (0,)),
        **dict.fromkeys("callback push_async_callback add_done_callback".split(), (0,)),
        # The iterable, the executor or the delay comes first.
        **dict.fromkeys("accumulate groupby run_in_executor call_later call_at".split(), (1,)),
        # `re.sub(pattern, function, text)`, and `pattern.sub(function, text)`.
        **dict.fromkeys("sub subn Timer".split(), (0, 1)),
        "Process": (),
    },
)
_SCRIPT_CALLBACKS = CallbackRules(
    storing=_CALLBACKS.storing.union("unshift assign freeze Map Set WeakMap".split()),
    storing_excepted=frozenset({"Array.from"}),
    not_calling=_CALLBACKS.not_calling.union("String Boolean Symbol Array Object partial".split()),
)

PYTHON_NAMES = NameRules(
    imports=ImportStyle.DOTTED,
    imports_complete=True,
    bare_names=BareNames.IN_FILE,
    last_definition_wins=True,
    methods_see_class_names=False,
    class_names=("cls",),
    calls_through_local_names=True,
    # Those of tasks: Celery's, Dramatiq's, Ray's.
    calling_methods=frozenset({"delay", "apply_async", "s", "si", "send", "remote"}),
    callbacks=_PYTHON_CALLBACKS,
    library=Library.PYTHON,
    operators_are_methods=True,
    operators=operators.PYTHON,
    compares_compatibly=True,
    type_guard=r"->\s*\W?(?:\w+\.)*Type(?:Guard|Is)\[(.+)\]",
)
SCRIPT_NAMES = NameRules(
    imports=ImportStyle.SCRIPT,
    bare_names=BareNames.IN_FILE_OF_MODULES,
    members_outside=MembersOutside.SAME_FILE,
    last_definition_wins=True,
    methods_see_class_names=False,
    calls_through_local_names=True,
    calling_methods=frozenset({"call", "apply"}),
    callbacks=_SCRIPT_CALLBACKS,
    library=Library.SCRIPT,
    members_are_items=True,
    type_guard=r"\)\s*:\s*(?:asserts\s+)?\w+\s+is\s+(.+?)\s*(?:=>)?$",
    transparent_methods=frozenset({"bind"}),
    builtin_functions=builtin_names.SCRIPT,
    builtin_objects=builtin_names.SCRIPT_OBJECTS,
    auto_import_folders=frozenset({"composables"}),
)
COMPONENT_NAMES = replace(
    SCRIPT_NAMES,
    bare_names=BareNames.IN_FILE,
    files_are_components=True,
    auto_import_folders=frozenset({"composables", "utils"}),
)
C_NAMES = NameRules(
    members_outside=MembersOutside.ANYWHERE,
    header_extensions=(".h", ".hpp", ".hh", ".hxx", ".h++"),
    builtin_functions=builtin_names.C,
    standard_namespaces=frozenset({"std"}),
    builtin_members=builtin_names.CPP_MEMBERS,
    type_before_name=True,
)
JVM_NAMES = NameRules(
    star_imports_namespaces=True,
    source_root=r"(?:.*/)?src/\w+/(?:java|kotlin|scala)(?:/|$)",
    folder_scope=FolderScope.PACKAGE,
    values_are_typed=True,
    types_are_capitalised=True,
    calling_methods=frozenset(
        "run call apply accept get test compare invoke invokeExact invokeWithArguments newInstance"
        " applyAsInt applyAsLong applyAsDouble getAsInt getAsLong getAsDouble getAsBoolean".split()
    ),
    function_types=frozenset(
        "Runnable Callable Function BiFunction Consumer BiConsumer Supplier Predicate BiPredicate"
        " UnaryOperator BinaryOperator Comparator IntFunction ToIntFunction ToLongFunction"
        " IntConsumer IntPredicate IntUnaryOperator IntBinaryOperator IntSupplier"
        " BooleanSupplier".split()
    ),
    has_reflection=True,
    standard_namespaces=frozenset({"java", "javax", "kotlin", "kotlinx", "scala"}),
    builtin_members=builtin_names.JVM_MEMBERS,
)
RUBY_NAMES = NameRules(
    members_outside=MembersOutside.ANYWHERE,
    instance_maker="new",
    modules_are_types=True,
    reads_call=True,
    operators=operators.RUBY,
    builtin_functions=builtin_names.RUBY,
    builtin_members=builtin_names.RUBY_MEMBERS,
)
