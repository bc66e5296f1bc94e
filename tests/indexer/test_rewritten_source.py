# ruff: noqa: E501 - a line of a row is a line of source
"""What grammars cannot read is rewritten for them: definitions are found, and places stay."""

import json
from itertools import product

import pytest

from satchel.indexer.extract.analyze import analyze
from satchel.indexer.languages.detect import by_name
from satchel.indexer.languages.notebook import as_script
from satchel.store.model import ProblemKind, SymbolKind

CASES = {
    "a loop head in each branch": ("c", """
int before(void)
{
#if Q >= 5
    for (int i = 0; i < 3; i++) {
#else
    for (int i = 0; i < 4; i++) {
#endif
        use(i);
    }
    return 1;
}
int after(void) { return before(); }
""", "before after"),
    "an else if that one system has": ("c", """
int before(int a)
{
    if (a) {
        use(a);
#ifdef X
    } else if (a > 1) {
        use(1);
#endif
    }
    return 1;
}
int after(void) { return 1; }
""", "before after"),
    "three branches, one within another": ("c", """
int before(int a)
{
#ifdef A
# ifdef B
    while (a) {
# else
    while (a > 1) {
# endif
#elif defined(C)
    do {
#else
    for (;;) { /* } */
#endif
        puts("}");
    }
    return 1;
}
int after(void) { return 1; }
""", "before after"),
    "a parenthesis, or the head of a block, in each branch": ("c", """
int before(int a)
#ifdef OLD
    const
#endif
{
#if Q < 5
    put(a,
#else
    push(a,
#endif
        1);
#ifdef X
    if (a > 1)
#else
    if (a)
#endif
    {
        use(a);
    }
    return 1;
}
int after(void) { return 1; }
""", "before after"),
    "whole functions in each branch": ("c", """
#ifdef A
int one(void) { return 1; }
#else
int two(void) { return 2; }
#endif
""", "one two"),
    "cfg_if with branches": ("rust", """
cfg_if::cfg_if! {
    if #[cfg(unix)] {
        pub fn one() -> u32 { let s = "}"; 1 }
    } else if #[cfg(windows)] {
        pub fn two() -> u32 { 2 }
    } else {
        mod three { pub fn four() {} }
    }
}
fn after() {}
""", "one two three three.four after"),
    "items in macros of features": ("rust", """
cfg_rt! {
    /// Said of it.
    #[derive(Debug)]
    pub struct Conf { a: u32 }
    impl Conf { pub fn go(&self) -> char { '{' } }
}
lazy_static! {
    static ref NAMES: Vec<u32> = make();
}
thread_local! { static HERE: u32 = 1; }
""", "Conf Conf.a Conf Conf.go NAMES HERE"),
    "templates of source stay tokens": ("rust", """
fn make() -> TokenStream {
    quote! {
        pub fn generated() {}
    }
}
""", "make"),
    "flags are an enum": ("rust", """
bitflags::bitflags! {
    /// Said of it.
    #[derive(Debug)]
    pub struct Flags: u32 {
        const A = 1;
        const B = Self::A.bits() | 2;
    }
}
fn after() {}
""", "Flags Flags.A Flags.B after"),
    "strings of several dollars": ("kotlin", """
class D {
    val p = $$"${a.b:}#{x}"
    val q = $$\"\"\"{"$ref": "$$name"}\"\"\"
    fun after() = 1
}
fun last() = 2
""", "D D.p D.q D.after last"),
    "guards of when": ("kotlin", """
fun guarded(a: Any): Int = when (a) {
    is String if a.isEmpty() -> inner(1)
    else if check(a) -> 4
    else -> 2
}
fun plain(a: Int): Int {
    val f = { x: Int -> if (x > 1) x else if (x < 0) 3 else 2 }
    return if (a > 1) f(a) else listOf(1).map { it -> it }.first()
}
fun last() = 1
""", "guarded plain last"),
    "context parameters and delegated objects": ("kotlin", """
class M(val o: Runnable) {
    context(d: D)
    fun ctx() = 1
    fun mk(): Runnable = object : Runnable by o { override fun run() { ctx() } }
    fun last() = 1
}
""", "M M.o M.ctx M.mk M.mk.run M.last"),
    "functions without a body": ("lua", """
local M = {}
function M.setup() end
function noop()
end
local function own() end
M.on_close = function() end
function M:reset() end
M.t = { close = function() end }
function M.full() return 1 end
""", "M M.setup noop own M.on_close M.reset M.t M.t.close M.full"),
    "members of extension blocks": ("csharp", """
public static class Tools
{
    extension(IEnumerable<int> numbers)
    {
        public int Sum() => numbers.Where(n => n > 0).Sum();
        public bool IsBlank { get { return !numbers.Any(); } }
    }
    extension<T>(IFoo<T> spec) where T : class
    {
        public string? Url() => null;
    }
    extension(string) { public static string Made() => "}"; }
    public static int After(int a) => a;
}
""", "Tools Tools.numbers Tools.Sum Tools.IsBlank Tools.spec Tools.Url Tools.Made Tools.After"),
    "assignments that need something to assign to": ("csharp", """
public class A
{
    public void Set() { a?.B = 3; a?.b?.C += 1; q?[0] = 1; var t = b?.c == d; f(a?.b, x => 1); }
    public void After() { if (a?.n <= 2) { } }
}
""", "A A.Set A.After"),
    "names that are sentences": ("swift", """
struct Suite {
    @Test func `one and two`() {}
    func `default`() {}
}
""", "Suite Suite.one~and~two Suite.default"),
    "words that say how an expression runs": ("swift", """
struct Loader {
    #warning("later")
    func all() async throws(Failure) {
        if let f = try await X.shared.info(at: .init(p)) { use(f) }
        for try await each in y { use(each) }
        unsafe setenv(a, b, 1)
    }
    func taking(a: consuming sending Foo) -> sending Int { 1 }
    nonisolated(nonsending) func last() async {}
}
""", "Loader Loader.all Loader.taking Loader.last"),
    "a loop over what is disposed of": ("typescript", """
import defer * as late from "x";
async function all() { for await (using a of b()) { use(a); } for (await using c of d) {} }
function after() {}
""", "all after"),
    "extensions and classes of mixins by their names": ("dart", """
class Alias = Base with Mixed;
extension Texts on String { bool get blank => true; }
extension on int { int twice() => 2; }
""", "Alias String Texts String.blank int int.twice"),
    "macros of an engine": ("cpp", """
UCLASS(Blueprintable, meta=(A="b"))
class GAME_API AActor : public UObject
{
    GENERATED_BODY()
public:
    AActor();
    UPROPERTY(EditAnywhere, meta=(AllowPrivateAccess="true"))
    int Health = 1;
    UFUNCTION(BlueprintCallable)
    void Fire();
    UPROPERTY() TArray<int> Hits;
};
UENUM(BlueprintType)
enum class EKind : uint8 { A UMETA(DisplayName="x"), B UMETA(DisplayName="y") };
""", "AActor AActor.AActor AActor.Health AActor.Fire AActor.Hits EKind EKind.A EKind.B"),
    "macros before what is declared": ("cpp", """
class [[nodiscard]] MY_EXPORT Wid final : public Base {
public:
    Wid();
    MY_NODISCARD static Maybe<bool> get(int a);
    MY_FORBIDS_COPY(Wid);
};
MY_NODISCARD static inline std::pair<int, int> make(int a) { return {}; }
MY_EXPORT MY_NOINLINE Handle<X> Wid::other(int a) { return 1; }
MY_TYPE plain(int a) { return 1; }
""", "Wid Wid.Wid Wid.get make Wid.other plain"),
    "macros before a constructor, and within a declaration": ("cpp", """
template <typename T> MY_INLINE void first(const T&) {}
class Buffer {
  int size_;
 public:
  static MY_CONSTEXPR int limit() { return 1; }
  MY_CONSTEXPR Buffer(int a, int b) noexcept : size_(a), last_(b) {}
  MY_CONSTEXPR MY_INLINE explicit Buffer(int a)
      : size_(a) {}
  MY_CONSTEXPR ~Buffer() { MY_CHECK(size_); }
  int last_;
};
MY_TYPE other(int a) { return 1; }
""", "first Buffer Buffer.size_ Buffer.limit Buffer.Buffer Buffer.Buffer Buffer.~Buffer Buffer.last_ other"),
    "a branch in one condition of Objective-C, and prototypes": ("objc", """
FOUNDATION_EXPORT NSString * Named(int status);
extern int plain(int x);
static int status(int f) {
    if (f == 0) {
        f = 1;
    }
#if TARGET
    else if ((f & 2) != 0) {
        f = 2;
    }
#endif
    return f;
}
""", "Named plain status"),
    "what a property of Kotlin keeps, and annotations of all its parts": ("kotlin", """
class P {
  val city: Flow<String>
    field = MutableFlow("")
  var n: Int = 1
    set(value) {
      field = value
    }
}
@all:Foo class Q { fun q() { x() } }
data class U(@all:Email val email: String)
""", "P P.city P.n Q Q.q U U.email"),
    "a ref struct as an argument of a type": ("csharp", """
public ref struct R<T> where T : allows ref struct { public T Get() => Find(); }
public class G<T> where T : IFoo, allows ref struct { public void M() { Go(); } }
""", "R R.Get G G.M"),
    "accessors behind another word": ("typescript", """
class A {
  static accessor y = mk();
  accessor z = mk();
  private accessor w: number = mk();
  static accessor() { go(); }
}
""", "A A.y A.z A.w A.accessor"),
    "what only a compiler evaluates": ("cpp", """
auto first(int a) { if consteval { ce(); } else { rt(); } return a; }
int second() { if !consteval { ce(); } return done(); }
""", "first second"),
    "functions in tables, and one that returns one": ("c", """
static void (*const table[])(void) = { 0 };
static void (*other[3])(void);
int (*chosen(int a))(char) { return 0; }
typedef struct node { int value; } node_t, *node_p;
""", "table other chosen node_t node_p node_t.node node_t.value"),
    "bases of each branch": ("cpp", """
#if defined(A)
class X : public A {
#else
class X : public B {
#endif
public:
    void go();
};
""", "X X.go"),
    "branches that go on to another": ("bash", """
case $1 in
    a) x ;;
    b) y ;&
    *) z ;;&
esac
after() { :; }
""", "after"),
    "subs that are declared ahead": ("perl", """
sub ahead;
sub other($$);
my $cb = sub { 1 };
format STDOUT =
@<<< @{
$a, $b
.
our sub shared { 1 }
sub after { 1 }
""", "cb shared after"),
    "patterns of several forms": ("haskell", """
pattern Two x y = (x, y)
pattern Named {a, b} = (a, b)
pattern x :| y <- Foo x y
after = 1
""", "Two Named :| after"),
    "fields with defaults, members, operators": ("julia", """
@kwdef struct KW
    a::Int = 1
    b = 2
end
mutable struct M
    const c::Int
end
@enum Size::UInt8 begin
    small
    large = 3
end
const Alias{T} = Vector{T}
a ⊕ b = 1
+(a::KW, b) = 1
""", "KW KW.a KW.b M M.c Size Size.small Size.large Alias ⊕ +"),
    "variables of a file and of an implementation": ("objc", """
extern NSString *const Name;
@implementation Foo
static int counter = 0;
@end
""", "Name Foo Foo.counter"),
    "functions that are abstract": ("gdscript", """
@abstract class Shape:
    @abstract func area()
@abstract func other() -> int
func last(): pass
""", "Shape Shape.area other last"),
    "blocks with two labels": ("hcl", """
ephemeral "random_password" "pw" {}
resource "aws_x" "a" {}
run "first" {
  command = plan
}
""", "ephemeral.random_password.pw aws_x.a first"),
    "functions of assembly": ("solidity", """
contract A {
    function go() public {
        assembly {
            function w(pos) -> r { helper(pos) }
            function helper(a) { }
        }
    }
}
""", "A A.go A.go.w A.go.helper"),
    "fields that a constructor's parameters declare": ("typescript", """
export class A {
    constructor(private readonly dep: Dep, public opt?: B, plain: C) { super(); }
}
""", "A A.constructor A.dep A.opt"),
    "a file that is a class": ("java", """
int count = 1;
void main() { IO.println(helper()); }
String helper() { int local = 1; return ""; }
record R(int a) {}
""", "count main helper R R.a"),
    "enums on one line": ("scala", """
enum Color: case Red, Green

object A {
  enum In(x: Int) extends B: case X, Y

  def z = 1
}
""", "Color Color.Red Color.Green A A.In A.In.X A.In.Y A.z"),
    "loops over all arguments": ("bash", """
for each do
    use "$each"
done
after() { :; }
""", "after"),
    "ranges without their end": ("kotlin", """
fun all() { for (n in 1..<10) { } }
fun last() = 0x80..<Limits.END
""", "all last"),
    "what a program of one file says to its tools": ("csharp", """#:package Foo@1.0
class A { void Go() { } }
""", "A A.Go"),
    "availability of several systems": ("objc", """
@interface A : B
@property (nonatomic) int size API_AVAILABLE(ios(10), macosx(10.12));
- (void)go MY_API_UNAVAILABLE(ios(9));
@end
""", "A A.size A.go"),
    "macros of members that have a value": ("c", """
typedef enum {
    ONE MY_DEPRECATED(8.3, "") = 3,
    TWO
} number;
MY_EXTERN HANDLE *open_all(void);
""", "number number.ONE number.TWO open_all"),
    "a default that names where it stands": ("swift", """
func check(at place: SourceLocation = #_sourceLocation, file: String = #file) {}
func last() {}
""", "check last"),
}  # fmt: skip

ANNOTATIONS = (
    "@A\n@B\n", "@A @B ", '@A(name = "x {")\n@B\n', "@A\n// why\n@B\n", "@a.b.A\n@B(x = C::class)\n@C\n",
    '@Entity\n@Table(\n    name = "orders",\n    indexes = [Index("a")]\n)\n',
    "/** Said. */\n@A\n@B\n", "// said {\n@A\n@B\n",
)  # fmt: skip
HEADS = (
    "class X", "interface X", "open class X", "sealed interface X", "abstract class X", "data object X",
    "object X", "fun interface X", "class X<T>", "annotation class X", "class X : Y()",
    "value class X(val a: Int)", "public class X",
)  # fmt: skip
BODIES = (
    " {\n    val m: Int = 1\n    fun f() = 1\n}\n", " { fun f() = 1 }\n", " { fun f() {} } // c\n", "\n",
    "\n{\n    companion object { fun f() = 1 }\n}\n", " {\n    fun f() {\n        if (a) {\n        }\n    }\n}\r\n",
)  # fmt: skip
CONSTRUCTORS = (
    "@Inject constructor(val a: Int)", "internal constructor(val a: Int) : Y(a)",
    '@Inject\n@Named("x)")\ninternal constructor(\n    val a: Int\n) : Y()', "private\nconstructor(val a: Int)",
)  # fmt: skip
FOLLOWERS = (
    "class After\n",
    "\nfun After() = 1\n",
    "\n@A\n@B\nclass After {\n    fun z() = 1\n}\n\nval x = 1\n",
)


@pytest.mark.parametrize("annotations", ANNOTATIONS)
@pytest.mark.parametrize("head", HEADS)
def test_a_type_of_kotlin_with_several_annotations_is_one(annotations: str, head: str):
    row = by_name("kotlin")
    for body, follower in product(BODIES, FOLLOWERS):
        text = f"package k\n\nimport a.B\n\n{annotations}{head}{body}{follower}"
        facts = analyze(text.encode(), row)
        names = {symbol.qualified_name for symbol in facts.symbols}
        assert {"X", "After"} | ({"X.f"} if "fun f" in body else set()) <= names, text
        assert facts.problems == (), text
        assert row.prepare is not None
        assert len(row.prepare(text.encode())) == len(text.encode())


@pytest.mark.parametrize("constructor", CONSTRUCTORS)
@pytest.mark.parametrize("indent", ["", "    "])
def test_a_constructor_of_kotlin_may_stand_below_the_name(constructor: str, indent: str):
    for body, follower in product(BODIES, FOLLOWERS):
        text = f"package k\n\nclass X<T : Any>\n{indent}{constructor}{body}{follower}"
        facts = analyze(text.encode(), by_name("kotlin"))
        names = {symbol.qualified_name for symbol in facts.symbols}
        assert {"X", "X.a", "After"} | ({"X.f"} if "fun f" in body else set()) <= names, text
        assert facts.problems == (), text


BRACES = [
    ("groovy", """
class Foo<T> extends Bar {
    private final List<String> xs = []
    @Inject String name
    Foo(String n) { name = n }
    String typed(String x, Map<String, List<Integer>> m = [:]) throws E { "class No { }" }
    int[] all() { [] as int[] }
    <U> U gen(Class<U> c) { def local = 1; null }
    def "a + b"() { expect: run '''
class Quoted { def no() { } }
'''
    }
    enum Inner { A, B; int z() { 1 } }
    abstract void later()
}
trait Tr { abstract String a(); void b() {} }
class One { def one() { 1 } }
def top(x) { x }
""", "Foo Foo.xs Foo.name Foo.Foo Foo.typed Foo.all Foo.gen Foo.a~+~b Foo.Inner Foo.Inner.z Foo.later"
     " Tr Tr.a Tr.b One One.one top"),
    ("powershell", """
class Foo : Bar {
    [string] $Name
    Foo([string]$n) : base($n) { $this.Name = $n }
    [void] Set([int]$a) { }
}
[Flags()] enum Kinds { A = 1 }
function Get-Foo($a, $b = (1 + 2)) { $c ? 1 : 2 }
<# function Quoted { } #>
function script:Hidden { function Inner { } }
""", "Foo Foo.Name Foo.Foo Foo.Set Kinds Kinds.A Get-Foo script.Hidden script.Hidden.Inner"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "names"), BRACES)
def test_what_a_grammar_loses_is_declared_by_keywords_and_braces(language, text, names):
    facts = analyze(text.encode(), by_name(language))
    found = [symbol.qualified_name.replace(" ", "~") for symbol in facts.symbols]
    assert found == names.split()
    lines = text.split("\n")
    for symbol in facts.symbols:
        assert symbol.name in lines[symbol.line - 1]
        code = "\n".join(lines[symbol.span.start_line - 1 : symbol.span.end_line])
        assert code.count("{") == code.count("}")


LOST = [
    (
        "cpp",
        "template <class T>\nclass A : B {\n  int f(int a ~ @ { \n#\n};\nBEGIN(x\nclass C {\n",
        "2 declarations",
    ),
    ("java", "class A {\n  void f( { class\n  interface B {\n}\n", "1 declaration"),
    ("python", '"""\ndef f():\n"""\n# def g():\ndef größe(): pass\n', ""),
    ("java", "class A {}\n/*\nclass B {\n}*/\n", ""),
    ("c", "#define X \\\nstruct a { \\\n}\nstruct b {\n int c;\n};\n", ""),
    ("rust", "fn r#async() {}\npub(crate) fn b() {}\n", ""),
    ("ruby", "def self.[](a) = 1\ndef arg.inspect = 2\ndef self.❨╯\n 1\nend\n", ""),
    ("php", "<?php\nclass A { function b() {\n return\n new class implements C { };\n} }\n", ""),
    ("swift", "public import struct A.B\nfunc f() {}\n", ""),
    ("haskell", "data family F a\ndata instance F Int = A Int\n", ""),
    ("elixir", "defmodule module do\nend\n", ""),
]


@pytest.mark.parametrize(("language", "text", "lost"), LOST)
def test_what_is_declared_and_no_symbol_is_a_problem(language: str, text: str, lost: str):
    facts = analyze(text.encode(), by_name(language))
    found = [problem.detail for problem in facts.problems if problem.kind == ProblemKind.LOST]
    assert found == ([lost] if lost else [])


def test_what_a_parser_lost_is_a_symbol_to_where_its_indentation_ends():
    text = (
        "object A {\n  def f(a: Int = ) ( {\n    1 =>\n  }\n\n  def g(\n    a: Int\n  ) = {\n  }\n"
    )
    text += "  class B extends C {\n    ) => (\n  }\n}\nobject D\n"
    symbols = analyze(text.encode(), by_name("scala")).symbols
    found = {s.qualified_name: (s.kind, s.span.start_line, s.span.end_line) for s in symbols}
    assert found["A"] == (SymbolKind.CLASS, 1, 13)
    assert found["A.g"] == (SymbolKind.METHOD, 6, 9)
    assert found["A.B"] == (SymbolKind.CLASS, 10, 12)
    assert found["D"] == (SymbolKind.CLASS, 14, 14)


def test_a_syntax_error_says_how_many_lines_it_took():
    row = by_name("c")
    one = analyze(b"int f(void) {\n  return ( 1;\n  ) x;\n}\nint g(void) { return 1; }\n", row)
    assert [problem.detail for problem in one.problems] == ["2 of 5 lines"]


@pytest.mark.parametrize(("language", "text", "names"), CASES.values(), ids=CASES.keys())
def test_definitions_are_found_where_they_stand(language: str, text: str, names: str):
    data, row = text.encode(), by_name(language)
    facts = analyze(data, row)
    variables = {"i", "f", "s"}
    found = [s for s in facts.symbols if s.name not in variables]
    assert [symbol.qualified_name.replace(" ", "~") for symbol in found] == names.split()
    for symbol in found:
        assert symbol.name.encode() in data.split(b"\n")[symbol.line - 1]
    assert row.prepare is None or len(row.prepare(data)) == len(data)
    assert facts.problems == ()


@pytest.mark.parametrize(
    ("magic", "is_python"),
    [("%%time", True), ("%%timeit -n 3", True), ("%%capture out", True), ("%%ipytest -q", True),
     ("%%bash", False), ("%%sql db", False), ("%%timer", False), ("%%writefile a.py", False)],
)  # fmt: skip
def test_a_cell_that_is_only_measured_stays_python(magic: str, is_python: bool):
    cell = {"cell_type": "code", "source": [f"{magic}\n", "def f(x):\n", "    return x\n"]}
    script = as_script(json.dumps({"cells": [cell], "nbformat": 4}).encode()).decode()
    assert f"# {magic}\n" in script
    assert ("\ndef f(x):\n" in script) == is_python


def test_magics_within_a_cell_are_comments_and_blocks_stay_whole():
    lines = ["x = !ls *.py", "!pip install \\", "  numpy", "def f():", "    %time g()", "y = a % b"]
    cell = {"cell_type": "code", "source": [f"{line}\n" for line in lines]}
    script = as_script(json.dumps({"cells": [cell], "nbformat": 4}).encode()).decode()
    expected = ["# x = !ls *.py", "# !pip install \\", "# numpy", "def f():"]
    assert script.splitlines()[2:] == [*expected, "    pass  # %time g()", "y = a % b"]
    assert analyze(script.encode(), by_name("python")).problems == ()


@pytest.mark.parametrize(
    ("text", "first_line", "error_line"),
    [
        ("package x\n\n@A\n@B\nclass C {\n}\n\nfun g() {\n  val = = )\n}\n", 3, 9),
        ("class C { val x = 1\n}\n\nfun g() {\n  val = = )\n}\n", 1, 5),
    ],
)
def test_lines_are_those_of_the_source_where_a_rewriting_joins_some(text, first_line, error_line):
    facts = analyze(text.encode(), by_name("kotlin"))
    [of_type] = [symbol for symbol in facts.symbols if symbol.name == "C"]
    assert of_type.span.start_line == first_line
    assert [problem.line for problem in facts.problems] == [error_line]
