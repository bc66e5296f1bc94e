"""The rules by which a language's names find their definitions, as the call graph needs them.

A field is a fact about the language, not about one code base. The defaults are those of a language
that says nothing: namespaces that files need not follow, and members inside the body of their type.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from satchel.indexer.languages.operators import NO_OPERATORS, Operators
from satchel.store.model import SymbolKind

CLASS_OBJECTS = frozenset({"class", "java", "kotlin", "self"})
"""What is read of a class to hand it on: `A.class`, `A::class.java`, `A.self`."""


class ImportStyle(StrEnum):
    """How the text of an import leads to files; each is a strategy of the call graph."""

    NAMESPACE = "namespace"
    """It names a namespace, and the paths of files agree with it by habit alone: Rust, C#."""
    DOTTED = "dotted"
    """Dots are folders, leading dots are relative: Python."""
    SCRIPT = "script"
    """A relative path, an alias, or a package of the same repository: JavaScript."""
    MODULE = "module"
    """The path of a folder, below what a manifest calls the module: Go."""


class BareNames(StrEnum):
    """Where a name without a receiver must be bound for a definition elsewhere not to be meant."""

    ANYWHERE = "anywhere"
    """A definition of another file may be meant without an import, as after C's `#include`."""
    IN_FILE = "in file"
    """In a scope of the file, by an import, or built in: Python, Go."""
    IN_FILE_OF_MODULES = "in file of modules"
    """As above where a file imports anything; other scripts of JavaScript share their names."""


class FolderScope(StrEnum):
    """Whether the files of a folder see each other's top-level names without imports."""

    NONE = "none"
    LIKELY = "likely"
    """By habit, so that it is tried for uses that no value leads to: C#, Swift."""
    PACKAGE = "package"
    """By the language: Go, Java."""


class MembersOutside(StrEnum):
    """Where members of a type may be written outside of its body."""

    NOWHERE = "nowhere"
    SAME_FILE = "same file"
    """`Type.prototype.member = …` of JavaScript."""
    SAME_FOLDER = "same folder"
    """Go's methods lie in the package of their type."""
    ANYWHERE = "anywhere"
    """`impl` of Rust, extensions of Swift, `Type::member` of C++, reopened classes of Ruby."""


class Library(StrEnum):
    """Whose library functions are known by what they give: copies and parts of what they get."""

    NONE = "none"
    PYTHON = "python"
    SCRIPT = "script"


_KEYWORD_ONLY: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CallbackRules:
    """What functions outside of the tree do with functions that are passed to them.

    The defaults are names that many languages share. A function outside of the tree that is not
    listed here is taken to call what it is passed.
    """

    storing: frozenset[str] = frozenset(
        "push set add append put insert of from log print warn error info debug bind send".split()
    )
    """Functions and methods that store or print their arguments, and call none of them."""
    storing_excepted: frozenset[str] = frozenset()
    """Names with their receivers that `storing` does not mean: `Array.from` calls its second."""
    not_calling: frozenset[str] = frozenset({"print", "set", "list", "hash", "super"})
    """Built-in functions that call none of their arguments: `isinstance`."""
    calling: Mapping[str, tuple[int, ...]] = field(
        hash=False,
        default_factory=lambda: {
            **dict.fromkeys(("map", "filter", "reduce", "submit"), (0,)),
            **dict.fromkeys(("sort", "sorted", "min", "max", "Thread"), _KEYWORD_ONLY),
        },
    )
    """Functions that call an argument for certain, and the positions, from 0, at which it may
    stand. What stands there is evaluated though nothing of its name is a function."""
    keywords: frozenset[str] = frozenset({"key", "target", "function", "callback"})
    """The same for arguments of those functions that have a keyword."""


@dataclass(frozen=True, slots=True)
class EventRules:
    """By which names values are published, and functions declared to handle them.

    Names that frameworks of many languages share: the type of what is published decides.
    """

    publishing: frozenset[str] = frozenset(
        "publish publishEvent publish_event publishAsync Publish PublishAsync send Send SendAsync"
        " send_robust asend dispatch dispatchSync dispatchIf Dispatch DispatchAsync event emit"
        " emitAsync Emit fire fireEvent fireAsync post notify trigger raise_event RaiseEvent handle"
        " Handle execute Execute broadcast perform_async perform_later perform_in dispatchEvent"
        " do_action apply_filters sendMessage instrument convertAndSend".split()
    )
    of_classes: tuple[str, ...] = ("dispatch", "perform_")
    """Beginnings of those that publish an instance of the class on which they are called."""
    marks: frozenset[str] = frozenset(
        "EventListener TransactionalEventListener ApplicationModuleListener ApplicationListener"
        " Subscribe EventHandler CommandHandler QueryHandler EventsHandler EventSubscriber"
        " EventSubscriberInterface Observes ObservesAsync KafkaListener RabbitListener JmsListener"
        " SqsListener StreamListener"
        " AsEventListener AsMessageHandler MessageHandlerInterface ShouldQueue Dispatchable OnEvent"
        " EventPattern MessagePattern receiver subscriber subscribe on_event event_handler handler"
        " handles listens_for listener listen ApplicationJob ActiveJob Job Worker".split()
    )
    """Annotations, decorators and base types of handlers, and of classes that hold some."""
    jobs: frozenset[str] = frozenset("ShouldQueue Dispatchable ApplicationJob Job Worker".split())
    """Those of classes that handle what they are themselves."""
    methods: frozenset[str] = frozenset(
        "handle Handle HandleAsync handleAsync __invoke Consume consume execute perform"
        " onApplicationEvent onEvent on_event".split()
    )
    """Names of handlers that need no mark."""
    beginnings: tuple[str, ...] = ("on", "when", "handle")
    """How handlers in a class with a mark are called."""
    registering: frozenset[str] = frozenset(
        "connect subscribe Subscribe listen addListener add_listener addSubscriber on_event"
        " register_handler add_handler addHandler add_event_listener on On once add_action"
        " add_filter addEventListener addObserver connect_via class"
        " return".split()
    )
    """Functions that get what is handled first, or are called on it, and then a handler; `class`
    and `return` are those of lists, see `php.scm`."""


EVENTS = EventRules()
"""Those of every language."""


_FILTERS = "OnActionExecuting OnActionExecuted OnActionExecutionAsync OnAuthorization"
RUN_BY_MARKS = {
    "ArgumentsSource": "provideArguments", "ConvertWith": "convert", "ClassData": "GetEnumerator",
    "AggregateWith": "aggregateArguments", "TestCaseSource": "GetEnumerator",
    "ExtendWith": "beforeAll beforeEach afterEach afterAll supportsParameter resolveParameter",
    "Constraint": "isValid", "JsonSerialize": "serialize", "JsonDeserialize": "deserialize",
    "Convert": "convertToDatabaseColumn convertToEntityAttribute", "JsonConverter": "Read Write",
    "ServiceFilter": _FILTERS, "TypeFilter": _FILTERS, "ObservedBy": "created updated deleted",
    "UseGuards": "canActivate", "UseInterceptors": "intercept", "UsePipes": "transform",
    "UseFilters": "catch",
}  # fmt: skip
"""The methods that run of a class which an annotation, an attribute or a decorator is given."""


@dataclass(frozen=True, slots=True)
class NameRules:
    """What the call graph knows of a language beyond its queries."""

    # Defaults are those of a language about which nothing is known: they guess least.
    imports: ImportStyle = ImportStyle.NAMESPACE
    imports_complete: bool = False
    """An imported name that is not found in the tree is certainly outside of it."""
    star_imports_namespaces: bool = False
    """`import a.b.*` brings in the types of a package, or the members of a type."""
    star_imports_bind: bool = False
    """An import of everything binds the name of the module as well: Haskell."""
    folders_are_packages: bool = False
    """A file lies in the folder of its whole package, so that a partial agreement is no match."""
    source_root: str = ""
    """A pattern for the beginning of a folder that is no part of its package: `src/main/java`."""
    bare_names: BareNames = BareNames.ANYWHERE
    auto_import_folders: frozenset[str] = frozenset()
    """Folders whose exported names files below the parent folder use without imports: those that
    Nuxt searches."""
    files_are_components: bool = False
    """A file is a component: it is used under its own name, and is what importing it gives."""
    files_are_modules: bool = False
    """Any file may name another as a module, by its name with a capital: OCaml."""
    files_are_classes: bool = False
    """A file is the class of what it defines, and an import names its path: GDScript."""
    folder_scope: FolderScope = FolderScope.NONE
    members_outside: MembersOutside = MembersOutside.NOWHERE
    header_extensions: tuple[str, ...] = ()
    """Files that declare what others define; a definition stands for both."""
    tables_are_classes: bool = False
    """A variable that holds a table is the class of the functions that are written in it, and a
    file is what it returns: Lua."""
    classes_are_global: bool = False
    """A program has one class of a name, in however many places it is written: Objective-C."""
    last_definition_wins: bool = False
    """The last of several functions of one name in a scope runs; elsewhere the first is taken."""
    methods_see_class_names: bool = True
    """A bare name in a method may mean what the class around binds."""
    class_names: tuple[str, ...] = ()
    """Those of `self_names` that stand for the class and not for an instance."""
    called_without_receiver: frozenset[SymbolKind] = frozenset()
    """Kinds of types whose methods are functions beside them: Haskell's classes."""
    instance_maker: str = ""
    """The member of every class that makes an instance though no class defines it: Ruby's `new`."""
    modules_are_types: bool = False
    """A module can be mixed into a class, and so be named where a type is expected."""
    satisfies_interfaces: bool = False
    """A type implements every interface whose methods it has, and does not say so: Go."""
    type_before_name: bool = False
    """Signatures write `Type name` and not `name: Type`."""
    values_are_typed: bool = False
    """Every value has a declared type; members of a type outside of the tree are outside too."""
    types_are_capitalised: bool = False
    """A bare name with a capital is a type; where the tree has none of that name, it is outside."""
    variables_are_capitalised: bool = False
    """A name with a capital is a variable, and modules and types have none: Erlang."""
    assignment_declares: bool = False
    """What is assigned to a name tells its type as well as a declaration does: Go's `:=`."""
    reads_call: bool = False
    """A name without parentheses may call a function: Ruby, Scala."""
    calls_through_local_names: bool = False
    """Calls of parameters and variables are searched for what a function's parameters are given."""
    call_operator: str = "__call__"
    """The method that runs where an instance is called: Kotlin's `invoke`."""
    accessors_are_calls: bool = False
    """What a field holds is got by a call under its name: the records of Java."""
    calling_methods: frozenset[str] = frozenset()
    """Methods of functions, and of what holds one, that call it: `f.call()`, `task.run()`."""
    callbacks: CallbackRules = CallbackRules()
    event_name: str = ""
    """A pattern for the event that the arguments of a call name: Swift's `name: .placed`."""
    event_handler: str = ""
    """A pattern for the function that they name as its handler: Swift's `#selector(f)`."""
    event_pair: str = ""
    """A pattern for an entry that names a class, a constant or a text, and what handles it: PHP's
    `A::class => [f]`."""
    type_guard: str = ""
    """A pattern for signatures of functions that say of which type their argument is, where they
    return true: TypeScript's `x is T`."""
    function_types: frozenset[str] = frozenset()
    """Types of the library that functions are values of: a declaration says nothing of which."""
    has_reflection: bool = False
    """Classes and methods are found by texts that are their names: `Class.forName("A")`."""
    library: Library = Library.NONE
    operators_are_methods: bool = False
    """`a + b` runs a method of `a`, by the names of `languages.operators`: Python."""
    operators: Operators = NO_OPERATORS
    """Those that are read and not called, see `languages.operators`."""
    compares_compatibly: bool = False
    """Names are equal in Unicode's normal form KC: Python."""
    members_are_items: bool = False
    """`owner["name"]` is `owner.name`: JavaScript."""
    reserved_builtins: frozenset[str] = frozenset()
    """Built-in names that nothing in the tree shadows: `Some` of Rust."""
    builtin_functions: frozenset[str] = frozenset()
    """Functions that need no import, see `languages.builtin_names`. A scope or an import may give
    their names another meaning, the only definition in the tree does not."""
    builtin_members: frozenset[str] = frozenset()
    """Members of the language's own types, beside `builtin_names.MEMBERS`."""
    builtin_objects: frozenset[str] = frozenset()
    """Objects of the language, whose members are not the tree's: `console`."""
    standard_namespaces: frozenset[str] = frozenset()
    """First parts of imports that lead to the standard library: `std`, `java`."""
    receivers_have_members_only: bool = False
    """A name behind a value is a member of its type and no function beside it: Rust."""
    extension: str = ""
    """A pattern for signatures of functions that are called on a receiver whose type they extend
    from outside: Kotlin, C#."""
    extension_holder: str = ""
    """A pattern for signatures of classes all of whose instance members extend other types: C#."""
    names_are_addresses: bool = False
    """Whatever is defined is used by its whole name, in the files of its folder: Terraform."""
    modules_have_whole_names: bool = False
    """Any file may call a function by the whole name of its module, without an import: Elixir."""
    module_of_functions: str = ""
    """The module in which the language itself defines them: Elixir's `Kernel`."""
    transparent_methods: frozenset[str] = frozenset()
    """Methods of wrappers: what they return has the members of what the wrapper holds."""
