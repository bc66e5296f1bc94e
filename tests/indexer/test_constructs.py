# ruff: noqa: E501 - a line of a row is a line of source
"""Kinds of uses that every language has, in the forms that people write: kinds by languages.

Each row is a small tree with the edges that it must have, `user -> used`, and behind `!` those that
it must not have. Names are qualified; rules and positions are left to `test_resolve`.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.store.model import ReferenceKind
from tests.support.satchel import index

READ = {
    "python": (
        "//- a.py\nclass Base:\n    @property\n    def root(self): return 1\n"
        "class Order(Base):\n    @property\n    def total(self): return 1\n"
        "    def own(self):\n        if self.total > 3: return self.root\n"
        "def declared(o: Order): return f'{o.total}'\n"
        "def made():\n    x = Order().total + 1\n"
        "def looped(o: Order): return [o.root for _ in range(o.total)]\n",
        "Order.own -> Order.total; Order.own -> Base.root; declared -> Order.total;"
        " made -> Order.total; looped -> Base.root; looped -> Order.total",
    ),
    "typescript": (
        "//- a.ts\nexport class Order {\n  get total(): number { return 1 }\n"
        "  own() { if (this.total > 1) return }\n}\n"
        "//- b.ts\nimport { Order } from './a'\n"
        "export function declared(o: Order) { return `${o.total}` }\n"
        "export function maybe(o?: Order) { return o?.total ?? 1 }\n"
        "export function made() { const x = new Order(); return x.total }\n",
        "Order.own -> Order.total; declared -> Order.total; maybe -> Order.total;"
        " made -> Order.total",
    ),
    "javascript": (
        "//- a.js\nexport class Order {\n  get total() { return 1 }\n"
        "  own() { return this.total }\n  static get zero() { return 0 }\n}\n"
        "export function made() { const x = new Order(); return x.total + Order.zero }\n",
        "Order.own -> Order.total; made -> Order.total; made -> Order.zero",
    ),
    "csharp": (
        "//- A.cs\nclass Base { public int Root => 1; }\n"
        "class Order : Base {\n  public int Total => 1;\n  public static int Zero => 0;\n"
        "  int Own() { return Total + this.Root; }\n  int Bare() { if (Root > 1) return Zero; return 1; }\n}\n"
        "class User {\n  Order order = new Order();\n  int Declared(Order o) { return o.Total; }\n"
        "  int Field() => order.Total;\n  int? Maybe(Order o) => o?.Total;\n"
        '  string Text(Order o) => $"{o.Total}";\n  int Static() => Order.Zero;\n}\n',
        "Order.Own -> Order.Total; Order.Own -> Base.Root; Order.Bare -> Order.Zero;"
        " User.Declared -> Order.Total; User.Field -> Order.Total; User.Maybe -> Order.Total;"
        " User.Text -> Order.Total; User.Static -> Order.Zero",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nopen class Base { val root: Int get() = 1 }\n"
        "class Order : Base() {\n  val total: Int get() = 1\n"
        '  fun own() = total + this.root\n  fun text() = "$total"\n}\n'
        "fun declared(o: Order) = o.total\nfun maybe(o: Order?) = o?.total ?: 1\n"
        "fun made(): Int { val x = Order(); return x.total }\nval Order.twice: Int get() = total * 2\n",
        "Order.own -> Order.total; Order.own -> Base.root; Order.text -> Order.total;"
        " declared -> Order.total; maybe -> Order.total; made -> Order.total",
    ),
    "swift": (
        "//- a.swift\nclass Base { var root: Int { 1 } }\nclass Order: Base {\n"
        "  var total: Int { return 1 }\n  func own() -> Int { return self.root + total }\n}\n"
        "func declared(_ o: Order) -> Int { return o.total }\n"
        "func maybe(_ o: Order?) -> Int { return o?.total ?? 1 }\n"
        "func made() -> Int { let x = Order(); return x.total }\n",
        "Order.own -> Order.total; Order.own -> Base.root; declared -> Order.total;"
        " maybe -> Order.total; made -> Order.total",
    ),
    "scala": (
        "//- a.scala\nclass Base { def root: Int = 1 }\nclass Order extends Base {\n"
        "  def total: Int = 1\n  def own: Int = total + this.root\n}\n"
        "object Use {\n  def declared(o: Order): Int = o.total\n"
        "  def made(): Int = { val x = new Order(); x.total }\n}\n",
        "Order.own -> Order.total; Order.own -> Base.root; Use.declared -> Order.total;"
        " Use.made -> Order.total",
    ),
    "haskell": (
        "//- A.hs\nmodule A where\nlimit = 3\ncheck n = n > limit\nstart = limit\n"
        "sized = take limit\n",
        "check -> limit; start -> limit; sized -> limit",
    ),
    "php": (
        "//- a.php\n<?php\nclass Order {\n  public int $total { get => 1; }\n"
        "  function own() { return $this->total; }\n}\n"
        "function declared(Order $o) { return $o->total; }\n"
        "function maybe(?Order $o) { return $o?->total; }\n",
        "Order.own -> Order.total; declared -> Order.total; maybe -> Order.total",
    ),
    "dart": (
        "//- a.dart\nclass Base { int get root => 1; }\nclass Order extends Base {\n  int get total { return 1; }\n"
        "  int own() { if (total > 1) return this.root; return 0; }\n  String text() => '$total ${this.total}';\n}\nint declared(Order o) => o.total;\n"
        "int? maybe(Order? o) => o?.total;\nint made() { final x = Order(); return x.total; }\n",
        "Order.own -> Order.total; Order.own -> Base.root; declared -> Order.total; maybe -> Order.total; made -> Order.total",
    ),
    "objc": (
        "//- A.m\n#import <Foundation/Foundation.h>\n@interface A : NSObject\n@property (nonatomic) NSInteger size;\n- (NSInteger)total;\n@end\n"
        "@implementation A\n- (NSInteger)total { return self.size; }\n- (void)own { int x = self.total; }\n@end\nvoid declared(A *a) { A *b = a; int x = b.total; }\n",
        "A.total -> A.size; A.own -> A.total; declared -> A.total",
    ),
    "gdscript": (
        "//- a.gd\nclass_name A\nsignal died\nvar size: int: set = set_size, get = get_size\nfunc set_size(v): size = v\nfunc get_size(): return 1\nfunc kill(): died.emit()\n",
        "A.size -> A.set_size; A.size -> A.get_size; A.kill -> A.died",
    ),
}
"""Properties and getters, and functions that need no parentheses."""

_RUBY = "//- a.rb\nclass A\n  def t\n    1\n  end\n  def f(a = 1)\n    {}\n  end\nend\n"
RUBY_BODIES = [
    "x = t", "if t then 1 end", "return t", '"#{t}"', "begin\n1\nrescue\nt\nend",
    "[1].each { |q| t }", "foo(t)", "[t]", "{a: t}", "t + 1", "t", "t && a", "unless t\n1\nend",
    "case t\nwhen 1 then 2\nend", "t ? 1 : 2", "a = b || t", "yield t", "x ||= t", "puts t",
    "a, b = t, 1", "return 1 unless t", "while t do 1 end", "-> { t }",
]  # fmt: skip
RUBY_VARIABLES = [
    "t = 1\nx = t", "[1].each { |t| t }", "a, t = 1, 2\nt", "begin\n1\nrescue => t\nt\nend",
    "for t in [1] do t end", "t ||= 1\nt",
]  # fmt: skip

HANDED = {
    'groovy': (
        '//- a.groovy\nclass A {\n  def h(x) { x }\n  static s(x) { x }\n  def wire() {\n    [1].each(this.&h)\n  }\n  def other() { h & 1 }\n}\n',
        'A.wire -> A.h ! A.other -> A.h',
    ),
    "solidity": (
        "//- a.sol\ncontract C { function h(uint a) internal pure returns (uint) { return a; }\n"
        " function map(uint x, function (uint) pure returns (uint) f) internal pure returns (uint) { return f(x); }\n"
        " function wire() public { map(1, h); }\n function other(uint h) public { map(1, h); }\n}\n",
        "C.wire -> C.h; ! C.other -> C.h",
    ),
    "python": ("//- a.py\nimport signal\ndef h(): pass\ndef wire(): signal.signal(2, h)\n", "wire -> h"),
    "go": (
        "//- a.go\npackage a\nimport \"net/http\"\ntype S struct{ F func() }\n"
        "func h() {}\nfunc k() {}\nfunc m() {}\nfunc p() {}\nfunc (s *S) serve() {}\n"
        "func wire(s *S) {\n\thttp.HandleFunc(\"/\", h)\n\ts.F = k\n\tgo http.Run(s.serve)\n}\n"
        "func made() func() { return m }\nvar all = map[string]func(){\"p\": p}\n"
        "func other(h int) { http.Do(h) }\n",
        "wire -> h; wire -> k; wire -> S.serve; made -> m; all -> p; ! other -> h",
    ),
    "rust": (
        "//- src/a.rs\nfn h() -> u32 { 1 }\nfn k(a: u32) -> u32 { a }\n"
        "struct S { open: fn() -> u32 }\nimpl S { fn go(&self) {} fn own(&self, v: Vec<S>) { v.iter().for_each(Self::go); } }\n"
        "pub fn wire(x: Vec<u32>) { let _ = axum::Router::new().route(\"/\", get(h)); }\n"
        "pub fn mapped(x: Vec<u32>) { x.into_iter().map(k); }\npub fn made() -> S { S { open: h } }\n"
        "pub fn other() { let h = 1; get(h); }\n",
        "wire -> h; mapped -> k; made -> h; S.own -> S.go; ! other -> h",
    ),
    "c": (
        "//- a.c\n#include <signal.h>\nstatic void h(int s) { }\nstatic int cmp(const void *a, const void *b) { return 0; }\n"
        "struct ops { int (*open)(int); };\nstatic int open_c(int a) { return a; }\n"
        "static struct ops my_ops = { .open = open_c };\nvoid wire(int *xs) { signal(2, h); qsort(xs, 1, 4, &cmp); }\n"
        "void set(struct ops *p) { p->open = open_c; }\nvoid other(void) { int h = 1; use(h); }\n",
        "wire -> h; wire -> cmp; my_ops -> open_c; set -> open_c; ! other -> h",
    ),
    "cpp": (
        "//- a.cpp\n#include <algorithm>\nbool less(int a, int b) { return a < b; }\n"
        "class A { public: void slot(); void wire(); };\nvoid A::slot() {}\n"
        "void A::wire() { connect(this, &A::slot); }\nvoid sorted(int *a) { std::sort(a, a + 1, less); }\n"
        "void run() {}\nvoid threads() { std::thread t(run); auto f = &run; }\n",
        "A.wire -> A.slot; sorted -> less; threads -> run",
    ),
    "csharp": (
        "//- A.cs\npublic class S {\n static string H() => \"x\";\n void Wire(dynamic app) { app.MapGet(\"/\", H); }\n"
        " void OnClick(object o, System.EventArgs e) {}\n void Events(dynamic b) { b.Click += OnClick; }\n"
        " void Own(dynamic b) { b.Add(this.OnClick); }\n System.Action Field() { System.Action a = OnStop; return a; }\n"
        " void OnStop() {}\n void Other(int H) { System.Math.Abs(H); }\n}\n",
        "S.Wire -> S.H; S.Events -> S.OnClick; S.Own -> S.OnClick; S.Field -> S.OnStop; ! S.Other -> S.H",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nfun h(a: Int) = a\nclass C { fun g(a: Int) = a\n  fun own(xs: List<Int>) = xs.map(this::g) }\n"
        "fun wire(xs: List<Int>) = xs.map(::h)\nfun held() { val f = ::h }\n",
        "wire -> h; C.own -> C.g; held -> h",
    ),
    "swift": (
        "//- a.swift\nfunc h(_ a: Int) -> Int { a }\nfunc wire(_ xs: [Int]) -> [Int] { xs.map(h) }\n"
        "class C { @objc func tap() {}\n  func own() { button.addTarget(self, action: #selector(tap)) }\n"
        "  func done() {}\n  func run() { start(self.done) } }\n",
        "wire -> h; C.own -> C.tap; C.run -> C.done",
    ),
    "scala": (
        "//- a.scala\nobject A {\n  def h(a: Int): Int = a\n  def wire(xs: List[Int]) = xs.map(h)\n"
        "  def infix(xs: List[Int]) = xs map h\n  def eta(xs: List[Int]) = xs.foreach(h _)\n}\n",
        "A.wire -> A.h; A.infix -> A.h; A.eta -> A.h",
    ),
    "java": (
        "//- A.java\nimport java.util.List;\nclass A {\n  int h(int a) { return a; }\n"
        "  void wire(List<Integer> xs) { xs.stream().map(this::h); }\n}\n",
        "A.wire -> A.h",
    ),
    "php": (
        "//- a.php\n<?php\nfunction h($a) {}\nclass A {\n  function cmp($a) {}\n"
        "  function own($x) { usort($x, [$this, 'cmp']); }\n"
        "  function later($x) { array_map($this->cmp(...), $x); }\n}\n"
        "function wire($x) { array_map('h', $x); }\nfunction first($x) { array_map(h(...), $x); }\n",
        "A.own -> A.cmp; A.later -> A.cmp; wire -> h; first -> h",
    ),
    "ruby": (
        "//- a.rb\nclass A\n  def h(a)\n    a\n  end\n  def wire(xs)\n    xs.map(&method(:h))\n  end\nend\n",
        "A.wire -> A.h",
    ),
    "elixir": (
        "//- a.ex\ndefmodule A do\n  def h(x), do: x\n  def wire(xs), do: Enum.map(xs, &h/1)\n"
        "  def far(xs), do: Enum.map(xs, &A.h/1)\nend\n",
        "A.wire -> A.h; A.far -> A.h",
    ),
    "lua": (
        "//- a.lua\nlocal M = {}\nlocal function h() return 1 end\nfunction M.k() return 1 end\n"
        "function M.wire() on('x', h); M.cb = h end\nfunction M.table() return { open = M.k } end\nreturn M\n",
        "M.wire -> h; M.table -> M.k",
    ),
    "haskell": (
        "//- A.hs\nmodule A where\nh x = x\nwire xs = map h xs\ncomposed = show . h\n",
        "wire -> h; composed -> h",
    ),
    "zig": (
        "//- a.zig\nfn less(a: u32) bool { return true; }\nfn open() void {}\n"
        "pub fn wire(xs: []u32) void { sort(xs, less); }\npub fn held() void { const o = Ops{ .open = open }; }\n",
        "wire -> less; held -> open",
    ),
    "bash": (
        "//- a.sh\ncleanup() { echo; }\nwire() { trap cleanup EXIT; }\n",
        "wire -> cleanup",
    ),
    "dart": (
        "//- a.dart\nvoid h() {}\nclass W { void tap() {}\n Widget build() { return Button(onPressed: tap); }\n"
        " Widget b2() { return Button(onPressed: this.tap, child: x); } }\nvoid wire(List<int> xs) { xs.forEach(h); }\nfinal table = {'a': h};\n"
        "void other(int h) { xs.forEach(h); }\n",
        "wire -> h; W.build -> W.tap; W.b2 -> W.tap; ! other -> h",
    ),
    "r": (
        "//- a.R\nh <- function(x) x\nwire <- function(xs) sapply(xs, h)\nnamed <- function(xs) lapply(X = xs, FUN = h)\npiped <- function(xs) xs |> purrr::map(h)\n"
        "other <- function(h) sapply(1, h)\n",
        "wire -> h; named -> h; piped -> h; ! other -> h",
    ),
    "julia": (
        "//- a.jl\nh(x) = x\nwire(xs) = map(h, xs)\nfunction w2(xs)\n  sort(xs; by=h)\nend\nbroad(xs) = h.(xs)\ncomp(xs) = (h ∘ sin)(xs)\nother(h) = map(h, [1])\n",
        "wire -> h; w2 -> h; broad -> h; ! other -> h",
    ),
    "ocaml": (
        "//- a.ml\nlet h x = x\nlet wire xs = List.map h xs\nlet piped xs = xs |> List.iter h\nlet comp xs = xs |> h\nlet lab xs = List.sort ~cmp:h xs\n"
        "let other h = List.map h []\n",
        "wire -> h; piped -> h; comp -> h; lab -> h; ! other -> h",
    ),
    "nix": (
        "//- a.nix\nlet\n  h = x: x;\n  wire = xs: map h xs;\n  other = h: map h [];\nin { inherit wire; }\n",
        "wire -> h; ! other -> h",
    ),
    "gdscript": (
        "//- a.gd\nextends Node\nsignal died\nfunc h():\n\tpass\nfunc wire():\n\tdied.connect(h)\n\tbutton.pressed.connect(self.h)\nfunc old():\n"
        "\tconnect(\"died\", self, \"h\")\nfunc call_it():\n\tcall_deferred(\"h\")\nfunc bound():\n\ttimer.timeout.connect(h.bind(1))\n",
        "wire -> h; bound -> h; call_it -> h",
    ),
    "clojure": (
        "//- src/a.clj\n(ns a)\n(defn h [x] x)\n(defn wire [s] (add-watch s :k #'h))\n(defn mapped [xs] (run! h xs))\n"
        "(defn other [h] (run! h []))\n(defn bound [] (let [{:keys [h]} {}] (run! h [])))\n",
        "a.wire -> a.h; a.mapped -> a.h; ! a.other -> a.h; a.bound -> a.h",
    ),
    "erlang": (
        "//- src/a.erl\n-module(a).\n-export([wire/0]).\nh(X) -> X.\nloop(X) -> X.\nwire() -> lists:map(fun h/1, []), lists:map(fun ?MODULE:h/1, []).\n"
        "started() -> spawn_link(?MODULE, loop, [1]).\nchild() -> #{id => a, start => {a, loop, [1]}}.\nnamed() -> apply(a, h, [1]).\n"
        "//- src/b.erl\n-module(b).\nh(X) -> X.\nloop(X) -> X.\n",
        "a.wire -> a.h; a.started -> a.loop; a.child -> a.loop; a.named -> a.h",
    ),
    "objc": (
        "//- A.m\n#import <Foundation/Foundation.h>\n@implementation A\n- (void)changed:(id)n { }\n- (void)go { }\n"
        "- (void)wire { [c addObserver:self selector:@selector(changed:) name:nil object:nil]; }\n- (void)timed { [t run:@selector(go)]; }\n@end\n",
        "A.wire -> A.changed; A.timed -> A.go",
    ),
    "tsx": (
        "//- a.tsx\nexport function V() { function save() {}\n const drop = () => {}\n return <b onClick={save} onDrop={drop} /> }\nclass W extends X { tap() {}\n"
        " render() { return <b onClick={this.tap} /> } }\n",
        "V -> V.save; V -> V.drop",
    ),
}  # fmt: skip
"""A function that is handed on by its name is used where that is done."""

CONTAINER = {
    "cpp": (
        "//- a.cpp\nstruct Mail { virtual int post() = 0; virtual int own() { return 1; } };\n"
        "struct Smtp : Mail { int post() override { return 1; } int own() override { return 2; } };\n"
        "struct Ctl { Mail* m; int use() { return m->post(); } int other() { return m->own(); } };\n",
        "Ctl.use -> Smtp.post; ! Ctl.other -> Smtp.own",
    ),
    "java": (
        "//- a/PriceApi.java\npackage a;\npublic interface PriceApi { int price(int id); }\n"
        "//- a/PriceImpl.java\npackage a;\n@Service\npublic class PriceImpl implements PriceApi { @Override public int price(int id) { return id; } }\n"
        "//- a/Ctl.java\npackage a;\nclass Ctl {\n  private final PriceApi api;\n  @Autowired private List<PriceApi> all;\n  Ctl(PriceApi api) { this.api = api; }\n"
        "  int show(int id) { return api.price(id); }\n  void each() { for (PriceApi p : all) { p.price(1); } }\n}\n",
        "Ctl.show -> PriceApi.price; Ctl.show -> PriceImpl.price; Ctl.each -> PriceImpl.price",
    ),
    "csharp": (
        "//- A.cs\nnamespace N;\npublic interface IStore { int Load(); }\npublic class Store : IStore { public int Load() => 1; }\n"
        "public class Ctl { private readonly IStore _s; public Ctl(IStore s) { _s = s; } public int Use() => _s.Load(); }\n"
        "public class Primary(IStore s) { public int Use() => s.Load(); }\n",
        "N.Ctl.Use -> N.Store.Load; N.Primary.Use -> N.Store.Load",
    ),
    "typescript": (
        "//- a.ts\nexport interface Mail { post(): number }\n@Injectable()\nexport class SmtpMail implements Mail { post() { return 1 } }\n"
        "export class MailCtl { constructor(private m: Mail) {} use() { return this.m.post() } }\n",
        "MailCtl.use -> SmtpMail.post",
    ),
    "kotlin": (
        "//- a.kt\npackage k\ninterface Mail { fun post(): Int }\nclass SmtpMail : Mail { override fun post() = 1 }\n"
        "class Ctl(private val m: Mail) { fun use() = m.post() }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "php": (
        "//- a.php\n<?php\ninterface Mail { function post(); }\nclass SmtpMail implements Mail { function post() {} }\n"
        "class Ctl { function __construct(private Mail $m) {} function use() { $this->m->post(); } }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "swift": (
        "//- a.swift\nprotocol Mail { func post() -> Int }\nclass SmtpMail: Mail { func post() -> Int { 1 } }\n"
        "class Ctl { let m: Mail\n  init(m: Mail) { self.m = m }\n  func use() -> Int { return m.post() } }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "scala": (
        "//- a.scala\ntrait Mail { def post(): Int }\nclass SmtpMail extends Mail { def post(): Int = 1 }\n"
        "class Ctl(m: Mail) { def use(): Int = m.post() }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "rust": (
        "//- src/a.rs\npub trait Mail { fn post(&self) -> u32; }\npub struct Smtp;\nimpl Mail for Smtp { fn post(&self) -> u32 { 1 } }\n"
        "pub struct Ctl { m: Box<dyn Mail> }\nimpl Ctl { pub fn one(&self) -> u32 { self.m.post() } }\npub fn given(m: &dyn Mail) -> u32 { m.post() }\n",
        "given -> Smtp.post",
    ),
}
"""What a container makes: nothing in the tree constructs what implements the interface."""

FIELDS = {
    "groovy": (
        "//- a.groovy\nclass S {\n void area() { }\n}\nclass U {\n private final S s\n S t = new S()\n void a() { s.area() }\n void b() { this.t.area() }\n void c(S q) { q.area() }\n void d() { S q = make(); q.area() }\n S make() { null }\n}\n",
        "U.a -> S.area; U.b -> S.area; U.c -> S.area; U.d -> S.area",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nclass Svc { fun run() {} }\nclass Decoy { fun run() {} }\nclass K(private val svc: Svc) {\n"
        "    private val b: Svc = Svc()\n    lateinit var c: Svc\n    fun use() { svc.run() }\n    fun other() { b.run() }\n    fun late() { this.c.run() }\n}\n",
        "K.use -> Svc.run; K.other -> Svc.run; K.late -> Svc.run; ! K.use -> Decoy.run",
    ),
    "php": (
        "//- a.php\n<?php\nclass Hunter { function hunt() {} }\nclass Decoy { function hunt() {} }\n"
        "class P { function __construct(private Hunter $h) {} function go() { $this->h->hunt(); } }\n"
        "class Q { private Hunter $h; function go() { $this->h->hunt(); } }\n"
        "class R { private ?Hunter $h = null; function go() { $this->h->hunt(); } }\n",
        "P.go -> Hunter.hunt; Q.go -> Hunter.hunt; R.go -> Hunter.hunt; ! P.go -> Decoy.hunt",
    ),
    "csharp": (
        "//- A.cs\nclass Svc { public void Run() {} }\nclass Decoy { public void Run() {} }\n"
        "class K { private Svc a; public Svc B { get; set; }\n  void One() { a.Run(); }\n  void Two() { B.Run(); }\n  void Three() { this.B.Run(); } }\n",
        "K.One -> Svc.Run; K.Two -> Svc.Run; K.Three -> Svc.Run",
    ),
    "ruby": (
        "//- a.rb\nclass Svc\n def run; end\nend\nclass Decoy\n def run; end\nend\nclass K\n  def initialize; @a = Svc.new; end\n  def one; @a.run; end\n"
        "  def b; @b ||= Svc.new; end\n  def two; b.run; end\n  def three; @b.run; end\n  attr_reader :a\n  def four; a.run; end\nend\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; ! K.one -> Decoy.run",
    ),
    "dart": (
        "//- a.dart\nclass Svc { void run() {} }\nclass Decoy { void run() {} }\n"
        "class K { final Svc a; late Svc b; Svc? c; static Svc d = Svc(); final e = Svc(); K(this.a);\n"
        " void one() { a.run(); } void two() { this.b.run(); } void three() { c?.run(); } void four() { K.d.run(); } void five() { e.run(); } void six() { c!.run(); } }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.five -> Svc.run; K.four -> Svc.run; ! K.one -> Decoy.run",
    ),
    "java": (
        "//- A.java\nclass Svc { void run() {} }\nclass Decoy { void run() {} }\nclass K { private Svc a; final Svc b = make(); static Svc c;\n"
        " void one() { a.run(); } void two() { this.b.run(); } void three() { K.c.run(); } void four(K k) { k.a.run(); } void five() { a.self().run(); } }\n"
        "record R(Svc s) { void go() { s.run(); } void acc(R r) { r.s().run(); } }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; R.go -> Svc.run; ! K.one -> Decoy.run",
    ),
    "typescript": (
        "//- a.ts\nclass Svc { run() {} }\nclass Decoy { run() {} }\nclass K { a: Svc; private readonly b!: Svc; static c: Svc; d?: Svc; e = inject(Svc)\n"
        " constructor(private f: Svc, g: Svc) {}\n"
        " one() { this.a.run() } two() { this.b.run() } three() { K.c.run() } four() { this.d?.run() } five() { this.e.run() } six() { this.f.run() } }\n"
        "interface I { s: Svc }\nfunction t(i: I) { i.s.run() }\nfunction d({ s }: I) { s.run() }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; K.six -> Svc.run; t -> Svc.run; ! K.one -> Decoy.run",
    ),
    "swift": (
        "//- a.swift\nclass Svc { func run() {} }\nclass Decoy { func run() {} }\nclass K { let a: Svc\n var b: Svc?\n static let c = Svc()\n weak var d: Svc?\n"
        " @Injected var e: Svc\n private lazy var f: Svc = make()\n init(a: Svc) { self.a = a }\n func one() { a.run() }\n func two() { b?.run() }\n"
        " func three() { K.c.run() }\n func four() { self.d!.run() }\n func five() { e.run() }\n func six() { f.run() } }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; K.five -> Svc.run; K.six -> Svc.run; ! K.one -> Decoy.run",
    ),
    "rust": (
        "//- src/a.rs\npub struct Svc; impl Svc { fn run(&self) {} }\npub struct Decoy; impl Decoy { fn run(&self) {} }\n"
        "pub struct K { a: Svc, b: Box<Svc>, c: Option<Svc>, d: Arc<Mutex<Svc>>, e: Vec<Svc> }\n"
        "impl K { fn one(&self) { self.a.run(); } fn two(&self) { self.b.run(); } fn three(&self) { self.c.as_ref().unwrap().run(); } fn four(&self) { self.d.lock().unwrap().run(); } fn five(&self) { for e in &self.e { e.run(); } } fn six(&self) { if let Some(c) = &self.c { c.run(); } } }\n"
        "fn u(k: &K) { k.a.run(); }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; u -> Svc.run; K.five -> Svc.run; K.six -> Svc.run; ! K.one -> Decoy.run",
    ),
    "go": (
        "//- a.go\npackage a\ntype Svc struct{}\nfunc (s *Svc) Run() {}\ntype Decoy struct{}\nfunc (s *Decoy) Run() {}\n"
        "type K struct { a *Svc; b Svc; list []*Svc; m map[string]*Svc; *Emb }\ntype Emb struct { e *Svc }\nfunc (k *K) One() { k.a.Run() }\n"
        'func (k *K) Two() { k.b.Run() }\nfunc (k *K) Three() { for _, s := range k.list { s.Run() } }\nfunc (k *K) Four() { k.m["a"].Run() }\n'
        "func (k *K) Five() { k.e.Run() }\nfunc (k *K) Six() { k.list[0].Run() }\n",
        "K.One -> Svc.Run; K.Two -> Svc.Run; K.Three -> Svc.Run; K.Four -> Svc.Run; K.Five -> Svc.Run; K.Six -> Svc.Run; ! K.One -> Decoy.Run",
    ),
    "cpp": (
        "//- a.cpp\nclass Svc { public: void run() {} };\nclass Decoy { public: void run() {} };\n"
        "class K { Svc a; Svc* b; std::unique_ptr<Svc> c; Svc& d; static Svc e; std::vector<Svc> f; public:\n"
        " void one() { a.run(); } void two() { b->run(); } void three() { c->run(); } void four() { this->d.run(); } void five() { K::e.run(); } void six(); void seven() { for (auto& s : f) s.run(); } };\n"
        "void K::six() { b->run(); }\nvoid u(K* k) { k->a.run(); }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; K.six -> Svc.run; u -> Svc.run; ! K.one -> Decoy.run",
    ),
    "scala": (
        "//- a.scala\nclass Svc { def run(): Unit = {} }\nclass Decoy { def run(): Unit = {} }\nclass K(a: Svc, val b: Svc) { private val c: Svc = make()\n"
        " lazy val d = new Svc()\n var e: Svc = _\n def one() = a.run()\n def two() = b.run()\n def three() = c.run()\n def four() = d.run()\n"
        " def five() = this.e.run() }\ncase class R(s: Svc) { def go() = s.run() }\nobject U { def u(r: R) = r.s.run() }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; K.five -> Svc.run; R.go -> Svc.run; ! K.one -> Decoy.run",
    ),
    "python": (
        "//- a.py\nfrom dataclasses import dataclass\nfrom typing import Optional\nclass Svc:\n    def run(self): pass\nclass Decoy:\n    def run(self): pass\n"
        "@dataclass\nclass K:\n    a: Svc\n    b: Optional[Svc] = None\n    c: 'Svc | None' = None\n    d: list[Svc] = None\n    def one(self): self.a.run()\n"
        "    def two(self): self.b.run()\n    def three(self): self.c.run()\n    def four(self):\n        for s in self.d: s.run()\ndef u(k: K): k.a.run()\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.three -> Svc.run; K.four -> Svc.run; u -> Svc.run; ! K.one -> Decoy.run",
    ),
    "solidity": (
        "//- a.sol\ncontract Svc { function run() public {} }\ncontract Decoy { function run() public {} }\n"
        "contract K { Svc a; Svc public immutable b; mapping(address => Svc) m;\n"
        " function one() public { a.run(); } function two() public { b.run(); } function three(address x) public { m[x].run(); } function four(Svc s) public { s.run(); } function five() public { Svc(address(1)).run(); } }\n",
        "K.one -> Svc.run; K.two -> Svc.run; K.four -> Svc.run; K.five -> Svc.run; ! K.one -> Decoy.run",
    ),
}
"""A call on a field whose type is declared."""

OUTSIDE = {
    "csharp": (
        '//- a.cs\nusing V;\nclass A { void U() { Ext.Zap(); int.Zip("1"); } }\n'
        "//- l.cs\nclass L { public static void Zap() {} public static void Zip(string a) {} }\n",
        "! A.U -> L.Zap; A.U -> L.Zip",
    ),
    "php": (
        "//- a.php\n<?php\nuse V\\Ext;\nfunction u() { Ext::zap(); }\nclass L { static function zap() {} }\n",
        "! u -> L.zap",
    ),
    "cpp": (
        "//- a.cpp\n#include <ext.h>\nvoid u() { std::zap(1); }\nclass L { public: static void zap(int a) {} };\n",
        "! u -> L.zap",
    ),
    "rust": (
        "//- src/a.rs\nuse ext::Ext;\npub fn u() { Ext::zap(); }\npub struct L;\nimpl L { pub fn zap() {} }\n",
        "! u -> L.zap",
    ),
    "elixir": (
        "//- a.ex\ndefmodule U do\n  alias V.Ext\n  def u, do: Ext.zap()\nend\ndefmodule L do\n  def zap, do: 1\nend\n",
        "! U.u -> L.zap",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nimport v.Ext\nfun u() { Ext.zap() }\nobject L { fun zap() {} }\n",
        "! u -> L.zap",
    ),
    "swift": (
        "//- a.swift\nimport Ext\nfunc u() { Ext.zap() }\nclass L { static func zap() {} }\n",
        "! u -> L.zap",
    ),
    "java": (
        "//- a/A.java\npackage a;\nimport v.Ext;\nclass A { void u() { Ext.zap(); Integer.zap(); v.Other.zap(); new Ext().zap(); } void w(Ext e) { e.zap(); } }\n"
        "//- a/L.java\npackage a;\nclass L { static void zap() {} }\n",
        "! A.u -> L.zap; A.w -> L.zap",
    ),
    "python": (
        "//- a.py\nimport ext\nfrom ext2 import Thing\nclass L:\n    def zap(self): pass\ndef u(): ext.zap(); ext.sub.zap(); b''.zap()\ndef w(t: Thing): t.zap()\n",
        "! u -> L.zap; w -> L.zap",
    ),
    "typescript": (
        "//- a.ts\nimport ext from 'ext'\nimport { Thing } from '@x/y'\nexport class L { zap() {} }\n"
        "export function u() { ext.zap(); new Thing().zap(); 'a'.zap() }\nexport function w(t: Thing) { t.zap() }\n"
        "export class K { constructor(private t: Thing) {} go() { this.t.zap() } }\n"
        "export function free<TItem>(t: TItem, d: any) { t.zap() }\n",
        "free -> L.zap; ! u -> L.zap; w -> L.zap; K.go -> L.zap",
    ),
    "go": (
        '//- go.mod\nmodule ex.org/a\n//- a.go\npackage a\nimport "github.com/x/ext"\ntype L struct{}\nfunc (l L) Zap() {}\n'
        "func u() { e := ext.New(); e.Zap() }\nfunc w(e *ext.Thing) { e.Zap() }\ntype K struct { e ext.Thing }\nfunc (k K) g() { k.e.Zap() }\n",
        "! u -> L.Zap; w -> L.Zap; K.g -> L.Zap",
    ),
    "ruby": (
        "//- a.rb\nclass L\n  def self.zap; end\nend\ndef u\n  Ext.zap\n  Ext::Sub.zap\n  Ext.new.zap\n  'a'.zap\n  File.zap\nend\n"
        "def w\n  e = Ext.new\n  e.zap\nend\nclass String\n  def own; end\nend\ndef s\n  'a'.own\nend\n",
        "s -> String.own; ! u -> L.zap; w -> L.zap",
    ),
    "scala": (
        "//- a.scala\npackage a\nimport v.Ext\nobject L { def zap() = 1 }\nobject U { def u() = Ext.zap()\n def w(e: Ext) = e.zap()\n def x() = new Ext().zap() }\n",
        "! U.u -> L.zap; U.w -> L.zap; U.x -> L.zap",
    ),
    "lua": (
        "//- a.lua\nlocal ext = require('ext')\nlocal M = {}\nfunction M.zap() return 1 end\nfunction u() ext.zap(); string.zap('x') end\nreturn M\n",
        "! u -> M.zap",
    ),
    "haskell": (
        "//- A.hs\nmodule A where\nimport qualified Data.Map as M\nu = M.zap 1\n//- L.hs\nmodule L where\nzap x = x\n",
        "! u -> zap",
    ),
    "clojure": (
        "//- a.clj\n(ns a (:require [ext.core :as ext]))\n(defn u [] (ext/zap 1))\n//- l.clj\n(ns l)\n(defn zap [x] x)\n",
        "! a.u -> l.zap",
    ),
    "erlang": (
        "//- a.erl\n-module(a).\nu() -> ext:zap(1).\nv(Mod) -> Mod:zap(1).\nw() -> l:zap(1).\n//- l.erl\n-module(l).\n-export([zap/1]).\nzap(X) -> X.\n",
        "a.v -> l.zap; a.w -> l.zap; ! a.u -> l.zap",
    ),
    "dart": (
        "//- a.dart\nimport 'package:ext/ext.dart' as ext;\nclass L { static void zap() {} void zip() {} }\nvoid u() { ext.zap(); Ext.zap(); int.zap(); }\nvoid w(Ext e) { e.zip(); }\n",
        "! u -> L.zap; w -> L.zip",
    ),
    "objc": (
        "//- a.m\n@implementation L\n+ (void)zap {}\n- (void)zip {}\n@end\n@implementation K\n- (void)u { [Ext zap]; Ext *e = [Ext new]; [e zip]; }\n@end\n",
        "! K.u -> L.zap; K.u -> L.zip",
    ),
}
"""What is plainly a member of something outside is none of the tree."""

HIDDEN = {
    "go": (
        "//- a.go\n"
        "package a\n"
        "func sum() {}\n"
        "func a() { switch sum := v.(type) { case int: take(sum) } }\n"
        "func b() { select { case sum := <-c: take(sum) } }\n"
        "func c() { const sum = 1\n"
        " take(sum) }\n"
        "func d() { run(func(sum int) { take(sum) }) }\n"
        "func used() { take(sum) }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "c": (
        "//- a.c\n"
        "int sum(void) { return 1; }\n"
        "#define OPT(o) int opt_##o = 1\n"
        "void a(void) { OPT(sum); }\n"
        "void b(void) { for (int sum = 0; sum < 3; sum++) take(sum); }\n"
        "void used(void) { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "cpp": (
        "//- a.cpp\n"
        "int sum() { return 1; }\n"
        "void a() { for (auto& sum : xs) take(sum); }\n"
        "void b() { auto [sum, b] = f(); take(sum); }\n"
        "void used() { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "rust": (
        "//- src/a.rs\n"
        "fn sum() {}\n"
        "fn a() { let S { sum, .. } = f(); take(sum); }\n"
        "fn b() { for (i, (sum, b)) in xs { take(sum); } }\n"
        "fn used() { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "lua": (
        "//- a.lua\n"
        "local function sum() end\n"
        "function a() for i, sum in pairs(x) do take(sum) end end\n"
        "function b() for sum = 1, 3 do take(sum) end end\n"
        "function c() run(function(sum) take(sum) end) end\n"
        "function used() take(sum) end\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "zig": (
        "//- a.zig\n"
        "fn sum() void {}\n"
        "fn a() void { const sum = 1; take(sum); }\n"
        "fn b() void { if (x) |sum| { take(sum); } }\n"
        "fn c() void { for (xs) |sum| take(sum); }\n"
        "fn used() void { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "haskell": (
        "//- H.hs\n"
        "module H where\n"
        "total :: Int -> Int\n"
        "total n = n\n"
        "a total = take total\n"
        "b = let total = 1 in take total\n"
        "c = map (\\total -> take total) xs\n"
        "d = take total where total = 1\n"
        "e = do { total <- f; take total }\n"
        "g x = case x of Just total -> take total\n"
        "h = [take total | total <- xs]\n"
        "used = take total\n",
        "used -> total; ! a -> total; b -> total; c -> total; d -> total; e -> total; f -> total; g -> total; h -> total",
    ),
    "kotlin": (
        "//- a.kt\n"
        "package k\n"
        "class K { val len: Int get() = 1\n"
        " fun a() { val len = 1; take(len) }\n"
        " fun b() { for (len in xs) take(len) }\n"
        " fun c() { xs.map { len -> take(len) } }\n"
        " fun d() { val (len, b) = f(); take(len) }\n"
        " fun used() = take(len) }\n",
        "K.used -> K.len; ! K.a -> K.len; K.b -> K.len; K.c -> K.len; K.d -> K.len; K.e -> K.len; K.f -> K.len; K.g -> K.len; K.h -> K.len",
    ),
    "csharp": (
        "//- A.cs\n"
        "class K { int Len => 1;\n"
        " void a() { xs.Select(Len => take(Len)); }\n"
        " void b() { f(out var Len); take(Len); }\n"
        " void c() { var (Len, b) = f(); take(Len); }\n"
        " void d() { if (x is int Len) take(Len); }\n"
        " void e() { try { } catch (E Len) { take(Len); } }\n"
        " void used() { take(Len); } }\n",
        "K.used -> K.Len; ! K.a -> K.Len; K.b -> K.Len; K.c -> K.Len; K.d -> K.Len; K.e -> K.Len; K.f -> K.Len; K.g -> K.Len; K.h -> K.Len",
    ),
    "swift": (
        "//- a.swift\n"
        "class K { var len: Int { return 1 }\n"
        " func a() { let len = 1; take(len) }\n"
        " func b() { for len in xs { take(len) } }\n"
        " func c() { if let len = x { take(len) } }\n"
        " func d() { guard let len = x else { return }; take(len) }\n"
        " func e() { xs.map { len in take(len) } }\n"
        " func f() { let (len, b) = g(); take(len) }\n"
        " func used() { if let len = len { take(len) } } }\n",
        "K.used -> K.len; ! K.a -> K.len; K.b -> K.len; K.c -> K.len; K.d -> K.len; K.e -> K.len; K.f -> K.len; K.g -> K.len; K.h -> K.len",
    ),
    "scala": (
        "//- a.scala\n"
        "class K { def sum = 1\n"
        " def a() = { val sum = 1; take(sum) }\n"
        " def b() = for (sum <- xs) take(sum)\n"
        " def c() = xs.map(sum => take(sum))\n"
        " def d() = x match { case Some(sum) => take(sum) }\n"
        " def e() = { val (sum, b) = f(); take(sum) }\n"
        " def used() = take(sum) }\n",
        "K.used -> K.sum; ! K.a -> K.sum; K.b -> K.sum; K.c -> K.sum; K.d -> K.sum; K.e -> K.sum; K.f -> K.sum; K.g -> K.sum; K.h -> K.sum",
    ),
    "ruby": (
        "//- a.rb\n"
        "class K\n"
        " def sum; 1; end\n"
        " def a; xs.each { |a, (sum, b)| take(sum) }; end\n"
        " def b; case x; in {sum:}; take(sum); end; end\n"
        " def used; take(sum); end\n"
        "end\n",
        "K.used -> K.sum; ! K.a -> K.sum; K.b -> K.sum; K.c -> K.sum; K.d -> K.sum; K.e -> K.sum; K.f -> K.sum; K.g -> K.sum; K.h -> K.sum",
    ),
}
"""A variable hides a function or a property of its name, however it is bound."""

EXTENDING = {
    "csharp": (
        "//- A.cs\nnamespace Demo;\npublic static class Tools {\n  extension(IEnumerable<int> numbers)\n  {\n"
        "    public int Total() => numbers.Kept();\n    public bool IsBlank => numbers.Any();\n"
        "    public bool Kept() { return numbers.IsBlank; }\n  }\n"
        "  extension<T>(IFoo<T> spec) where T : class\n  {\n    public string Url() => spec.Name();\n  }\n}\n"
        "public interface IFoo<T> { string Name(); }\n"
        "//- B.cs\nnamespace Demo;\npublic class Use {\n  public int Go(List<int> xs) => xs.Total();\n"
        "  public bool Blank(List<int> xs) { return xs.IsBlank; }\n  public string Url(IFoo<int> f) => f.Url();\n}\n",
        "Demo.Use.Go -> Demo.Tools.Total; Demo.Use.Blank -> Demo.Tools.IsBlank; Demo.Use.Url -> Demo.Tools.Url;"
        " Demo.Tools.Total -> Demo.Tools.Kept; Demo.Tools.Url -> Demo.IFoo.Name; Demo.Tools.Kept -> Demo.Tools.IsBlank",
    ),
}
"""Members that a class has for another type."""

MADE_OUTSIDE = {
    "javascript": (
        "//- a.js\nconst { Ext } = require('ext')\nconst Other = require('other')\nclass L { zap() {} }\n"
        "function u() { const e = new Ext(); e.zap() }\nfunction w() { const e = new Other(); e.zap() }\n"
        "function v() { const e = new L(); e.zap() }\n",
        "v -> L.zap; ! u -> L.zap; w -> L.zap",
    ),
    "csharp": (
        "//- A.cs\nusing X;\nclass L { public void Save() {} }\n"
        "class U { void F() { var d = new XDocument(); d.Save(); } void G() { var d = new L(); d.Save(); } }\n",
        "U.G -> L.Save; ! U.F -> L.Save",
    ),
    "typescript": (
        "//- a.ts\nimport { Ext } from 'ext'\nexport class L { zap() {} }\n"
        "export function u() { const e = new Ext(); e.zap() }\nexport function v() { const e = new L(); e.zap() }\n",
        "v -> L.zap; ! u -> L.zap",
    ),
    "python": (
        "//- a.py\nfrom ext import Ext\nclass L:\n    def zap(self): pass\n"
        "def u():\n    e = Ext()\n    e.zap()\ndef v():\n    e = L()\n    e.zap()\n",
        "v -> L.zap; ! u -> L.zap",
    ),
    "php": (
        "//- a.php\n<?php\nuse V\\Ext;\nclass L { function zap() {} }\n"
        "function u() { $e = new Ext(); $e->zap(); }\nfunction v() { $e = new L(); $e->zap(); }\n",
        "v -> L.zap; ! u -> L.zap",
    ),
}
"""Variables that hold an instance of a type which the tree lacks."""

MADE_OF_A_VARIABLE = {
    "python": (
        "//- a.py\nclass L:\n    def zap(self): pass\n"
        "def u():\n    Made = type('Made', (L,), {})\n    e = Made()\n    e.zap()\n"
        "def v(Given):\n    e = Given()\n    e.zap()\n",
        "u -> L.zap; v -> L.zap",
    ),
    "imported": (
        "//- a.ts\nimport { mixed } from 'ext'\nclass L { zap() {} }\nexport const Made = mixed(L)\n"
        "//- b.ts\nimport { Made } from './a'\nexport function u() { const e = new Made(); e.zap() }\n",
        "u -> L.zap",
    ),
    "typescript": (
        "//- a.ts\nimport { mixed } from 'ext'\nexport class L { zap() {} }\nconst Made = mixed(L)\n"
        "export function u() { const e = new Made(); e.zap() }\n"
        "export function v(Given: any) { const e = new Given(); e.zap() }\n",
        "u -> L.zap; v -> L.zap",
    ),
}
"""Instances of a class that is computed or given: it may be one of the tree."""

EVENTS = {
    "rust": (
        "//- src/a.rs\nfn on_placed(e: u32) {}\nfn on_paid(e: u32) {}\n"
        'fn wire(b: &Bus) { b.subscribe("order:placed", on_placed); b.subscribe("order:paid", on_paid); }\n'
        'fn go(b: &Bus) { b.publish("order:placed", 1); }\n',
        "go -> on_placed; wire -> on_placed; ! go -> on_paid",
    ),
    "java": (
        "//- a/Placed.java\npackage a;\npublic record Placed(int id) {}\n"
        "//- a/Paid.java\npackage a;\npublic class Paid {}\n"
        "//- a/Bus.java\npackage a;\npublic interface Bus { void publishEvent(Object event); }\n"
        "//- a/Orders.java\npackage a;\nclass Orders {\n  private final Bus bus;\n"
        "  void place(int id) { bus.publishEvent(new Placed(id)); }\n  void later(Placed p) { this.bus.publishEvent(p); }\n"
        "  void pay() { var paid = new Paid(); bus.publishEvent(paid); }\n  void ask(Other o) { bus.publishEvent(o); }\n}\n"
        "//- a/Mail.java\npackage a;\nimport org.springframework.context.event.EventListener;\nclass Mail {\n"
        "  @EventListener\n  public void placed(Placed e) { }\n  @TransactionalEventListener(Paid.class)\n  void paid() { }\n"
        "  void helper(Placed e) { }\n}\nclass Log implements ApplicationListener<Placed> {\n"
        "  public void onApplicationEvent(Placed e) { }\n}\n",
        "Orders.place -> Mail.placed; Orders.later -> Mail.placed; Orders.pay -> Mail.paid; Orders.place -> Log.onApplicationEvent;"
        " ! Orders.place -> Mail.helper; Orders.place -> Mail.paid; Orders.ask -> Mail.placed; Orders.pay -> Mail.placed",
    ),
    "kotlin": (
        "//- a.kt\npackage k\ndata class Placed(val id: Int)\nclass Orders(private val bus: ApplicationEventPublisher) {\n"
        "  fun place(id: Int) { bus.publishEvent(Placed(id)) }\n}\nclass Mail {\n  @EventListener\n  fun placed(e: Placed) { }\n"
        "  fun helper(e: Placed) { }\n}\n",
        "Orders.place -> Mail.placed; ! Orders.place -> Mail.helper",
    ),
    "csharp": (
        "//- A.cs\nnamespace N;\npublic record Placed(int Id) : INotification;\npublic class Ask : IRequest<int> { public int A { get; set; } }\n"
        "public class Shipped { }\npublic class Orders(IMediator bus) {\n  public Task Place(int id) => bus.Publish(new Placed(id));\n"
        "  public Task<int> Get() { return bus.Send(new Ask { A = 1 }); }\n  public Task Ship(Shipped s) { return bus.Publish(s); }\n}\n"
        "public class Mail : INotificationHandler<Placed> { public Task Handle(Placed n, CancellationToken c) => null; }\n"
        "public class Answer : IRequestHandler<Ask, int> { public Task<int> Handle(Ask n, CancellationToken c) => null; }\n"
        "public class Track : IConsumer<Shipped> { public Task Consume(ConsumeContext<Shipped> c) => null; }\n",
        "N.Orders.Place -> N.Mail.Handle; N.Orders.Get -> N.Answer.Handle; N.Orders.Ship -> N.Track.Consume; ! N.Orders.Place -> N.Answer.Handle",
    ),
    "php": (
        "//- e.php\n<?php\nnamespace App;\nclass Placed { function __construct(public int $id) {} }\nclass Paid { use Dispatchable; }\n"
        "class Ship implements ShouldQueue { public function handle() {} }\n"
        "//- a.php\n<?php\nnamespace App;\nuse App\\Placed;\nclass Orders {\n  function place($id) { event(new Placed($id)); }\n"
        "  function pay() { Paid::dispatch(); }\n  function ship() { dispatch(new Ship()); }\n"
        "  function symfony() { $this->bus->dispatch(new Placed(1)); }\n}\n"
        "class Mail { public function handle(Placed $e) {} }\nclass Bill { public function handle(Paid $e) {} }\n"
        "#[AsMessageHandler]\nclass Log { public function __invoke(Placed $m) {} }\n"
        "class Hook { #[AsEventListener]\n  public function placed(Placed $m) {}\n  public function other(Placed $m) {} }\n"
        "class Sub implements EventSubscriberInterface { public function onPlaced(Placed $m) {} }\n",
        "App.Orders.place -> App.Mail.handle; App.Orders.pay -> App.Bill.handle; App.Orders.ship -> App.Ship.handle;"
        " App.Orders.symfony -> App.Log.__invoke; App.Orders.symfony -> App.Hook.placed; App.Orders.place -> App.Sub.onPlaced;"
        " ! App.Orders.place -> App.Bill.handle; App.Orders.place -> App.Hook.other",
    ),
    "typescript": (
        "//- e.ts\nexport class Placed { constructor(public id: number) {} }\nexport class Pay {}\n"
        "//- a.ts\nimport { Placed, Pay } from './e'\nexport class Orders {\n  constructor(private emitter: EventEmitter2, private bus: CommandBus) {}\n"
        "  place(id: number) { this.emitter.emit('order.placed', new Placed(id)) }\n  pay() { return this.bus.execute(new Pay()) }\n"
        "  other() { this.emitter.emit('order.lost', 1) }\n}\n"
        "//- b.ts\nimport { Placed, Pay } from './e'\nexport class Mail {\n  @OnEvent('order.placed')\n  placed(e: any) {}\n"
        "  @OnEvent('order.paid')\n  paid(e: any) {}\n}\n@CommandHandler(Pay)\nexport class PayHandler { async execute(c: Pay) {} }\n",
        "Orders.place -> Mail.placed; Orders.pay -> PayHandler.execute; ! Orders.place -> Mail.paid; Orders.other -> Mail.placed",
    ),
    "javascript": (
        "//- a.js\nconst bus = require('./bus')\nfunction place() { bus.emit('order.placed', 1) }\n"
        "//- b.js\nconst bus = require('./bus')\nfunction mail() {}\nfunction lost() {}\nbus.on('order.placed', mail)\nbus.on('order.lost', lost)\n"
        "//- c.js\nfunction fail(socket) { socket.emit('error', 1) }\n"
        "//- d.js\nfunction failed() {}\nrequire('./bus').on('error', failed)\n",
        "place -> mail; ! place -> lost; ! fail -> failed",
    ),
    "python": (
        "//- shop/signals.py\nfrom django.dispatch import Signal\nplaced = Signal()\npaid = Signal()\nclass Shipped: pass\n"
        "//- shop/orders.py\nfrom shop.signals import placed, paid, Shipped\nfrom shop import bus\n"
        "def place(): placed.send(sender=None)\ndef pay(): paid.send_robust(sender=None)\ndef ship(): bus.publish(Shipped())\n"
        "//- shop/mail.py\nfrom django.dispatch import receiver\nfrom shop.signals import placed, paid, Shipped\nfrom shop import bus\n"
        "@receiver(placed)\ndef on_placed(sender, **kw): pass\ndef on_paid(sender, **kw): pass\npaid.connect(on_paid)\n"
        "def on_shipped(e): pass\nbus.subscribe(Shipped, on_shipped)\n@bus.subscribe(Shipped)\ndef marked(e): pass\n"
        "def helper(e: Shipped): pass\n"
        "def wire(): bus.subscribe(Shipped, on_shipped)\n",
        "place -> on_placed; pay -> on_paid; ship -> on_shipped; ship -> marked;"
        " ! place -> on_paid; ship -> wire; ship -> helper; ship -> on_placed",
    ),
    "ruby": (
        "//- a.rb\nclass MailJob < ApplicationJob\n  def perform(id)\n  end\nend\n"
        "class Orders\n  def place\n    MailJob.perform_later(1)\n  end\nend\n",
        "Orders.place -> MailJob.perform",
    ),
    "swift": (
        '//- a.swift\nextension Notification.Name { static let orderPlaced = Notification.Name("orderPlaced")\n'
        ' static let orderPaid = Notification.Name("orderPaid") }\nclass O { func go() { NotificationCenter.default.post(name: .orderPlaced, object: nil) } }\n'
        "class M { init() { NotificationCenter.default.addObserver(self, selector: #selector(placed), name: .orderPlaced, object: nil); NotificationCenter.default.addObserver(self, selector: #selector(paid(_:)), name: .orderPaid, object: nil) }\n"
        " @objc func placed() {}\n @objc func paid(_ n: Notification) {} }\n",
        "O.go -> M.placed; ! O.go -> M.paid",
    ),
    "go": (
        "//- a.go\npackage a\ntype Placed struct{}\nfunc onPlaced(e Placed) {}\nfunc onPaid() {}\n"
        'func wire(b *bus.Bus) { b.Subscribe("order:placed", onPlaced); b.Subscribe("order:paid", onPaid) }\n'
        'func go1(b *bus.Bus) { b.Publish("order:placed", Placed{}) }\n',
        "wire -> onPlaced; go1 -> onPlaced; ! go1 -> onPaid",
    ),
    "scala": (
        "//- A.scala\npackage a\nclass Placed\nclass M { @EventListener def placed(e: Placed): Unit = {} }\n"
        "class O(bus: Bus) { def go() = bus.publishEvent(new Placed()) }\n",
        "O.go -> M.placed",
    ),
}
"""What is published runs what is declared to handle it."""

PROVIDED = {
    "php": (
        "//- tests/ATest.php\n<?php\nclass ATest extends TestCase {\n  #[DataProvider('rows')]\n  public function testA($x) {}\n"
        "  public static function rows() { return []; }\n  /**\n   * @dataProvider more\n   */\n  public function testB($x) {}\n"
        "  public function more() { return []; }\n  #[DataProviderExternal(Far::class, 'far')]\n  public function testC($x) {}\n}\n"
        "class Far { public static function far() {} }\nclass Decoy { public function rows() {} public function more() {} }\n",
        "ATest.testA -> ATest.rows; ATest.testB -> ATest.more; ATest.testC -> Far.far; ! ATest.testA -> ATest.more; ATest.testB -> ATest.rows;"
        " ATest.testA -> Decoy.rows",
    ),
    "java": (
        '//- src/test/java/a/ATest.java\npackage a;\nclass ATest {\n  @ParameterizedTest\n  @MethodSource("rows")\n  void one(int x) {}\n'
        '  static Stream<Integer> rows() { return null; }\n  @ParameterizedTest\n  @MethodSource({"rows", "more"})\n  void two(int x) {}\n'
        '  static Stream<Integer> more() { return null; }\n  @Test(dataProvider = "testng")\n  void three(int x) {}\n'
        '  @DataProvider Object[][] testng() { return null; }\n  @MethodSource("a.Far#far")\n  void four(int x) {}\n}\n'
        "class Decoy { static void rows() {} }\n//- src/test/java/a/Far.java\npackage a;\nclass Far { static Stream<Integer> far() { return null; } }\n",
        "ATest.one -> ATest.rows; ATest.two -> ATest.rows; ATest.two -> ATest.more; ATest.three -> ATest.testng; ATest.four -> Far.far;"
        " ! ATest.one -> ATest.more; ATest.one -> Decoy.rows",
    ),
    "kotlin": (
        '//- src/test/kotlin/ATest.kt\npackage a\nclass ATest {\n  @ParameterizedTest\n  @MethodSource("rows")\n  fun one(x: Int) {}\n'
        "  companion object {\n    @JvmStatic\n    fun rows() = listOf(1)\n  }\n}\n",
        "ATest.one -> ATest.rows",
    ),
    "csharp": (
        "//- ATests.cs\nclass ATests {\n  [TestCaseSource(nameof(Rows))]\n  public void One(int x) {}\n  static object[] Rows() => null;\n"
        "  [Theory]\n  [MemberData(nameof(More))]\n  public void Two(int x) {}\n  public static IEnumerable<object[]> More => null;\n"
        '  [TestCaseSource("Rows")]\n  public void Three(int x) {}\n  [MemberData(nameof(Far.Data), MemberType = typeof(Far))]\n  public void Four(int x) {}\n'
        "  [DynamicData(nameof(Dyn), DynamicDataSourceType.Method)]\n  public void Five(int x) {}\n  static object[] Dyn() => null;\n}\n"
        "class Far { public static object[] Data() => null; }\n",
        "ATests.One -> ATests.Rows; ATests.Two -> ATests.More; ATests.Three -> ATests.Rows; ATests.Four -> Far.Data; ATests.Five -> ATests.Dyn",
    ),
    "python": (
        "//- test_a.py\nimport pytest\nfrom cases import far\ndef rows(): return [1]\n@pytest.mark.parametrize('x', rows())\ndef test_one(x): pass\n"
        "@pytest.mark.parametrize('x', far())\ndef test_two(x): pass\ndef more(): return [1]\nMORE = more()\n"
        "@pytest.fixture\ndef shop(): return 1\ndef test_three(shop): pass\n@pytest.mark.usefixtures('shop')\ndef test_four(): pass\n"
        "@parameterized.expand(rows)\ndef test_five(x): pass\n//- cases.py\ndef far(): return [1]\n",
        "test_one -> rows; test_two -> far; test_five -> rows",
    ),
    "swift": (
        "//- Tests/ATests.swift\nimport Testing\nfunc rows() -> [Int] { [1] }\n@Test(arguments: rows())\nfunc one(x: Int) {}\n",
        "one -> rows",
    ),
}
"""Where a test gets its data from is used by the test."""

GIVEN = {
    "python": (
        "//- a.py\nclass S:\n    def run(self): pass\nclass D:\n    def run(self): pass\nclass O:\n    def __init__(self, xs: list[S]): self.list = xs\n"
        "    def a(self): return list(map(lambda q: q.run(), self.list))\n    def b(self): return sorted(self.list, key=lambda q: q.run())\n"
        "    def c(self): return [q.run() for q in self.list]\n    def d(self): return max(self.list, key=lambda q: q.run())\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run ! O.a -> D.run",
    ),
    "typescript": (
        "//- a.ts\nexport class S { run() {} }\nexport class D { run() {} }\n"
        "export class O { constructor(private list: S[], private m: Map<string, S>, private st: Set<S>, private ro: ReadonlyArray<S>) {}\n"
        " a() { this.list.forEach(q => q.run()) }\n b() { return this.list.map((q) => q.run()) }\n c() { return this.list.filter(q => q.ok).map(q => q.run()) }\n"
        " d() { return this.list.find(q => q.run()) }\n e() { this.list.forEach((q, i) => { q.run() }) }\n"
        " f() { return this.list.sort((a1, b1) => a1.run() - b1.run()) }\n g() { return this.list.reduce((acc, q) => acc + q.run(), 0) }\n"
        " h() { this.m.forEach((v, k) => v.run()) }\n i() { this.st.forEach(v => v.run()) }\n j() { this.ro.some(v => v.run()) }\n"
        " k() { for (const v of this.m.values()) v.run() }\n l() { this.list.forEach(function (q) { q.run() }) }\n"
        " m2() { return this.list.flatMap(q => q.run()) }\n n() { return this.p().then(q => q.run()) }\n async p(): Promise<S> { return this.list[0] }\n"
        " async q2() { (await this.p()).run() }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.l -> S.run; O.m2 -> S.run; O.n -> S.run; O.q2 -> S.run ! O.a -> D.run",
    ),
    "java": (
        "//- A.java\nimport java.util.*;\nclass S { void run() {} int n() { return 1; } }\nclass D { void run() {} int n() { return 1; } }\n"
        "class O { List<S> list; Map<String, S> m; Optional<S> o; Set<S> st;\n void a() { list.forEach(q -> q.run()); }\n"
        " void b() { list.stream().forEach(q -> q.run()); }\n void c() { list.stream().filter(q -> q.ok()).map(q -> q.n()); }\n"
        " void d() { o.ifPresent(q -> q.run()); }\n void e() { o.map(q -> q.n()); }\n void f() { m.forEach((k, v) -> v.run()); }\n"
        " void g() { for (S q : list) q.run(); }\n void h() { m.values().forEach(q -> { q.run(); }); }\n void i() { list.get(0).run(); }\n"
        ' void j() { o.get().run(); }\n void k() { m.get("a").run(); }\n void l() { list.stream().findFirst().get().run(); }\n'
        " void n() { list.removeIf(q -> q.n() > 1); }\n void p() { list.forEach(S::run); }\n void r() { list.forEach((S q) -> q.run()); }\n"
        " void s() { o.orElse(null).run(); }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.n; O.d -> S.run; O.e -> S.n; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.l -> S.run; O.n -> S.n; O.p -> S.run; O.r -> S.run; O.s -> S.run ! O.a -> D.run",
    ),
    "csharp": (
        "//- A.cs\nusing System.Linq;\nclass S { public void Run() {} public int N() => 1; }\nclass D { public void Run() {} public int N() => 1; }\n"
        "class O { List<S> list; Dictionary<string, S> m; IEnumerable<S> e; S[] arr;\n void a() { list.ForEach(q => q.Run()); }\n"
        " void b() { list.Where(q => q.Ok).Select(q => q.N()); }\n void c() { e.Select(q => q.N()); }\n void d() { foreach (var q in list) q.Run(); }\n"
        ' void f() { list.First(q => q.Ok).Run(); }\n void g() { arr.Any(q => q.N() > 1); }\n void h() { list[0].Run(); }\n void i() { m["a"].Run(); }\n'
        " void j() { foreach (var kv in m) kv.Value.Run(); }\n void k() { list.FirstOrDefault()?.Run(); }\n void l() { var r = from q in list select q.N(); }\n"
        ' void n() { list.OrderBy(q => q.N()).ToList(); }\n void p() { if (m.TryGetValue("a", out var q)) q.Run(); }\n'
        " void s() { m.Values.ToList().ForEach(q => q.Run()); }\n}\n",
        "O.a -> S.Run; O.b -> S.N; O.c -> S.N; O.d -> S.Run; O.f -> S.Run; O.g -> S.N; O.h -> S.Run; O.i -> S.Run; O.j -> S.Run; O.k -> S.Run; O.l -> S.N; O.n -> S.N; O.p -> S.Run; O.s -> S.Run ! O.a -> D.Run",
    ),
    "rust": (
        "//- src/a.rs\npub struct S; impl S { fn run(&self) -> u32 { 1 } }\npub struct D; impl D { fn run(&self) -> u32 { 1 } }\n"
        "pub struct O { list: Vec<S>, o: Option<S>, m: HashMap<String, S> }\nimpl O {\n fn a(&self) { self.list.iter().for_each(|q| q.run()); }\n"
        " fn b(&self) { self.list.iter().map(|q| q.run()).collect(); }\n fn c(&self) { self.list.iter().filter(|q| q.ok()).map(|q| q.run()); }\n"
        " fn d(&self) { self.o.as_ref().map(|q| q.run()); }\n fn e(&self) { for q in &self.list { q.run(); } }\n"
        " fn f(&self) { if let Some(q) = self.o { q.run(); } }\n fn g(&self) { match &self.o { Some(q) => q.run(), None => 0 }; }\n"
        ' fn h(&self) { self.list[0].run(); }\n fn i(&self) { self.list.first().unwrap().run(); }\n fn j(&self) { self.m.get("a").unwrap().run(); }\n'
        " fn k(&self) { self.m.values().map(|q| q.run()); }\n fn l(&self) { for (_, q) in &self.m { q.run(); } }\n"
        " fn n(&self) { let Some(q) = self.o.as_ref() else { return; }; q.run(); }\n fn p(&self) { self.list.iter().find(|q| q.run() == 1); }\n"
        " fn r(&self) { while let Some(q) = self.list.pop() { q.run(); } }\n fn s(&self) { self.list.iter().enumerate().for_each(|(i, q)| q.run()); }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.l -> S.run; O.n -> S.run; O.p -> S.run; O.r -> S.run; O.s -> S.run ! O.a -> D.run",
    ),
    "ruby": (
        "//- a.rb\nclass S\n  def run; end\nend\nclass D\n  def run; end\nend\nclass O\n  def initialize\n    @list = [S.new]\n  end\n"
        "  def a; @list.each { |q| q.run }; end\n  def b; @list.map(&:run); end\n  def c\n    @list.each do |q|\n      q.run\n    end\n  end\n"
        "  def d; @list.map { _1.run }; end\n  def e; @list.map { it.run }; end\n  def f; @list.first.run; end\n"
        "  def g; @list.select { |q| q.ok }.each { |q| q.run }; end\n  def h; S.new.tap { |q| q.run }; end\n  def i; @list.each_with_index { |q, i| q.run }; end\n"
        "end\n",
        "O.a -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run ! O.a -> D.run",
    ),
    "dart": (
        "//- a.dart\nclass S { void run() {} }\nclass D { void run() {} }\nclass O { List<S> list; Map<String, S> m; O(this.list, this.m);\n"
        " void a() { list.forEach((q) => q.run()); }\n void b() { list.map((q) => q.run()); }\n void c() { list.where((q) => q.ok).map((q) { q.run(); }); }\n"
        " void d() { for (final q in list) { q.run(); } }\n void e() { for (var q in list) q.run(); }\n void f() { list.first.run(); }\n"
        " void g() { list[0].run(); }\n void h() { m.forEach((k, v) => v.run()); }\n void i() { m['a']!.run(); }\n void j() { m.values.forEach((q) => q.run()); }\n"
        " Future<S> p() async => S();\n void k() async { (await p()).run(); }\n void l() { p().then((q) => q.run()); }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.l -> S.run ! O.a -> D.run",
    ),
    "cpp": (
        "//- a.cpp\n#include <vector>\nstruct S { void run() {} };\nstruct D { void run() {} };\n"
        "class O { std::vector<S> list; std::map<int, S> m; std::optional<S> o; std::unique_ptr<S> u; std::vector<std::unique_ptr<S>> us;\n"
        " void a() { for (auto& q : list) q.run(); }\n void b() { std::for_each(list.begin(), list.end(), [](auto& q) { q.run(); }); }\n"
        " void c() { list[0].run(); }\n void d() { list.front().run(); }\n void e() { for (auto& [k, v] : m) v.run(); }\n void f() { o->run(); }\n"
        " void g() { u->run(); }\n void h() { for (auto& q : us) q->run(); }\n void i() { m.at(1).run(); }\n void j() { m[1].run(); }\n"
        " void k() { std::for_each(list.begin(), list.end(), [](S& q) { q.run(); }); }\n void l() { u.get()->run(); }\n void n() { o.value().run(); }\n"
        " void p() { for (const S& q : list) q.run(); }\n};\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.l -> S.run; O.n -> S.run; O.p -> S.run ! O.a -> D.run",
    ),
    "go": (
        "//- a.go\npackage a\ntype S struct{}\nfunc (s *S) Run() {}\ntype D struct{}\nfunc (s *D) Run() {}\ntype O struct { list []*S; m map[string]*S }\n"
        'func (o *O) A() { for _, q := range o.list { q.Run() } }\nfunc (o *O) B() { o.m["a"].Run() }\nfunc (o *O) C() { for _, q := range o.m { q.Run() } }\n'
        'func (o *O) Dd() { if q, ok := o.m["a"]; ok { q.Run() } }\nfunc (o *O) E() { slices.SortFunc(o.list, func(a, b *S) int { a.Run(); return 0 }) }\n'
        "func (o *O) F(c chan *S) { q := <-c; q.Run() }\nfunc (o *O) G(c chan *S) { for q := range c { q.Run() } }\n"
        "func (o *O) H(x any) { if q, ok := x.(*S); ok { q.Run() } }\nfunc (o *O) I(x any) { switch q := x.(type) { case *S: q.Run() } }\n"
        "func (o *O) J(x any) { x.(*S).Run() }\n",
        "O.A -> S.Run; O.B -> S.Run; O.C -> S.Run; O.Dd -> S.Run; O.E -> S.Run; O.F -> S.Run; O.H -> S.Run; O.J -> S.Run ! O.A -> D.Run",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nclass S { fun run() {} }\nclass D { fun run() {} }\nclass O(val list: List<S>, val m: Map<String, S>, val o: S?) {\n"
        "  fun a() = list.forEach { q -> q.run() }\n  fun b() = list.map { q -> q.run() }\n  fun c() = list.filter { q -> q.ok }.map { q -> q.run() }\n"
        "  fun d() { for (q in list) q.run() }\n  fun e() = o?.let { q -> q.run() }\n  fun f() = list.first().run()\n  fun g() = list[0].run()\n"
        '  fun h() = m["a"]?.run()\n  fun i() = m.values.forEach { q -> q.run() }\n  fun j() = m.forEach { (k, v) -> v.run() }\n'
        "  fun k() = list.forEach(fun(q: S) { q.run() })\n  fun l() { for ((k, v) in m) v.run() }\n  fun n() = list.forEach(S::run)\n"
        '  fun p() = list.sumOf { q: S -> q.run() }\n  fun r() = list.firstOrNull { q -> q.ok }?.run()\n  fun s() { m.getValue("a").run() }\n'
        "  fun t() = list.groupBy { q -> q.run() }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.l -> S.run; O.n -> S.run; O.p -> S.run; O.r -> S.run; O.s -> S.run; O.t -> S.run ! O.a -> D.run",
    ),
    "swift": (
        "//- a.swift\nclass S { func run() {} }\nclass D { func run() {} }\nclass O { let list: [S]\n let m: [String: S]\n let o: S?\n"
        " func a() { list.forEach { q in q.run() } }\n func b() { list.map { q in q.run() } }\n func c() { list.filter { q in q.ok }.forEach { q in q.run() } }\n"
        " func d() { for q in list { q.run() } }\n func e() { if let q = o { q.run() } }\n func f() { list.first?.run() }\n func g() { list[0].run() }\n"
        ' func h() { m["a"]?.run() }\n func i() { for (k, q) in m { q.run() } }\n func j() { m.values.forEach { q in q.run() } }\n'
        " func k() { guard let q = o else { return }; q.run() }\n func l() { list.forEach { (q: S) in q.run() } }\n func n() { o.map { q in q.run() } }\n"
        " func p() { if let o { o.run() } }\n func r() { switch o { case .some(let q): q.run() \n  default: break } }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.l -> S.run; O.n -> S.run; O.p -> S.run ! O.a -> D.run",
    ),
    "scala": (
        "//- a.scala\nclass S { def run(): Unit = {} }\nclass D { def run(): Unit = {} }\nclass O(list: List[S], o: Option[S], m: Map[String, S]) {\n"
        " def a() = list.foreach(q => q.run())\n def b() = list.map(q => q.run())\n def c() = list.filter(q => q.ok).map(q => q.run())\n"
        ' def d() = for (q <- list) q.run()\n def e() = o.foreach { q => q.run() }\n def f() = list.head.run()\n def g() = list(0).run()\n def h() = m("a").run()\n'
        " def i() = o match { case Some(q) => q.run() case None => }\n def j() = m.values.foreach(q => q.run())\n def k() = for ((k, v) <- m) v.run()\n"
        " def l() = o.get.run()\n def n() = o.map { (q: S) => q.run() }\n def p() = list.collect { case q => q.run() }\n"
        ' def r() = m.get("a").foreach(q => q.run())\n}\n',
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run; O.k -> S.run; O.n -> S.run ! O.a -> D.run",
    ),
    "php": (
        "//- a.php\n<?php\nclass S { function run() {} }\nclass D { function run() {} }\nclass O { \n /** @var S[] */\n private array $list;\n"
        " /** @var array<string, S> */\n private $m;\n function a() { array_map(fn($q) => $q->run(), $this->list); }\n"
        " function b() { foreach ($this->list as $q) { $q->run(); } }\n function c() { foreach ($this->m as $k => $q) { $q->run(); } }\n"
        " function d() { array_map(function (S $q) { $q->run(); }, $x); }\n function e() { array_walk($this->list, function ($q) { $q->run(); }); }\n"
        " function f() { $this->list[0]->run(); }\n function g() { array_map(fn(S $q) => $q->run(), $x); }\n /** @param S[] $xs */\n"
        " function h($xs) { foreach ($xs as $q) $q->run(); }\n /** @return S */\n function mk() { return make(); }\n function i() { $this->mk()->run(); }\n"
        " function j() { /** @var S $z */ $z = make(); $z->run(); }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run ! O.a -> D.run",
    ),
}
"""What a function without a name is given, and what a pattern or a loop takes out."""

IMPLIED = {
    "kotlin": (
        "//- a.kt\npackage k\nclass S { fun run() {} }\nclass D { fun run() {} }\nclass O(val t: S, val list: List<S>, val m: S?) {\n  fun a() = t.let { it.run() }\n"
        "  fun b() = list.forEach { it.run() }\n  fun c() = m?.let { it.run() }\n  fun d() = list.filter { it.ok() }.map { it.run() }\n"
        "  fun e() { t.also { it.run() } }\n  fun f() { t.apply { run() } }\n  fun g() { with(t) { run() } }\n  fun h() = list.first { it.x }.run()\n"
        "  fun i() = list.map { s -> s.run() }\n  fun j() { list.forEachIndexed { i, s -> s.run() } }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.h -> S.run; O.i -> S.run; O.j -> S.run ! O.a -> D.run; O.b -> D.run",
    ),
    "swift": (
        "//- a.swift\nclass S { func run() {} }\nclass D { func run() {} }\nclass O { let list: [S]\n let s: S?\n init(list: [S]) { self.list = list }\n"
        " func a() { list.forEach { $0.run() } }\n func b() { list.map { $0.run() } }\n func c() { s.map { $0.run() } }\n"
        " func d() { list.filter { $0.ok }.forEach { $0.run() } }\n func e() { list.forEach { s in s.run() } }\n func f() { list.first(where: { $0.x })?.run() }\n"
        " func g() { list.sorted { $0.run() < $1.run() } }\n func h() { for s in list { s.run() } }\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run ! O.a -> D.run",
    ),
    "scala": (
        "//- a.scala\nclass S { def run(): Unit = {} }\nclass D { def run(): Unit = {} }\nclass O(list: List[S], o: Option[S]) {\n def a() = list.foreach(_.run())\n"
        " def b() = list.map(_.run())\n def c() = o.foreach(_.run())\n def d() = list.filter(_.ok).map(_.run())\n def e() = list.map { s => s.run() }\n"
        " def f() = for { s <- list } yield s.run()\n def g() = list map (_.run())\n def h() = list.map(s => s.run())\n def i() = list.head.run()\n"
        " def j() = o.get.run()\n}\n",
        "O.a -> S.run; O.b -> S.run; O.c -> S.run; O.d -> S.run; O.e -> S.run; O.f -> S.run; O.g -> S.run; O.h -> S.run; O.i -> S.run ! O.a -> D.run",
    ),
}
"""The same, where its parameter is not written."""

TOLD_TYPES = {
    "php": (
        "//- a.php\n<?php\nclass S { function run() {} }\nclass D { function run() {} }\nclass O {\n /** @var S */\n private $a;\n /** @var ?S the service */\n"
        " private $b;\n /** @var S[] */\n private array $list;\n function one() { $this->a->run(); }\n function two() { $this->b->run(); }\n"
        " function three() { foreach ($this->list as $x) { $x->run(); } }\n /**\n  * @param S $x a service\n  * @param array<string, S> $m\n  * @return S\n  */\n"
        " function four($x, $m) { $x->run(); return $x; }\n function five() { $this->four(1, 2)->run(); }\n"
        " function six() { /** @var S $z */ $z = make(); $z->run(); }\n}\n",
        "O.one -> S.run; O.two -> S.run; O.three -> S.run; O.four -> S.run; O.five -> S.run; O.six -> S.run ! O.one -> D.run",
    ),
    "javascript": (
        "//- a.js\nexport class S { run() {} }\nclass D { run() {} }\n/**\n * @param {S} s the service\n * @param {Array<S>} xs\n */\nfunction a(s, xs) { s.run() }\n"
        "/** @param {S[]} xs */\nfunction b(xs) { xs.forEach(x => x.run()) }\n/** @returns {S} */\nfunction mk() { return window.make() }\n"
        "function c() { mk().run() }\n/** @type {S} */\nconst held = window.get()\nfunction d() { held.run() }\nclass K {\n  constructor() {\n    /** @type {S} */\n"
        "    this.s = window.s\n  }\n  /** @param {import('./a').S} q */\n  e(q) { q.run() }\n  f() { this.s.run() }\n}\n/** @param {?S} [s] */\n"
        "exports.g = function (s) { s.run() }\n/** @param {S} s */\nconst h = (s) => s.run()\n",
        "a -> S.run; b -> S.run; c -> S.run; d -> S.run; K.f -> S.run; h -> S.run; g -> S.run ! a -> D.run",
    ),
}
"""A call on what has a type that a comment tells."""

HELD_LATER = {
    "kotlin": (
        "//- a.kt\npackage k\nclass B { var onDone: (() -> Unit)? = null\n lateinit var cb: () -> Unit\n fun fire() { onDone?.invoke() }\n fun fire2() { cb() }\n"
        " fun fire3() { cb.invoke() } }\nfun work() {}\nclass W { fun own() {}\n fun wire(b: B) { b.onDone = ::work\n  b.cb = this::own } }\n",
        "B.fire -> work; B.fire2 -> W.own; B.fire3 -> W.own ! B.fire -> W.own",
    ),
    "swift": (
        "//- a.swift\nclass B { var onDone: (() -> Void)?\n var cb: () -> Void = {}\n func fire() { onDone?() }\n func fire2() { cb() }\n"
        " func fire3() { self.onDone!() } }\nfunc work() {}\nclass W { func own() {}\n func wire(b: B) { b.onDone = work\n  b.cb = self.own } }\n",
        "B.fire -> work; B.fire2 -> W.own ! B.fire -> W.own",
    ),
    "csharp": (
        "//- A.cs\nclass B { public System.Action OnDone; private readonly System.Func<int> cb; public event System.Action Ev;\n"
        " public B(System.Func<int> c) { cb = c; }\n void Fire() { OnDone(); }\n void Fire2() { OnDone?.Invoke(); }\n void Fire3() { this.OnDone.Invoke(); }\n"
        " void Fire4() { cb(); }\n void Fire5() { Ev(); } void Fire6() { Ev?.Invoke(); } }\n"
        "class W { static int Give() => 1; void Own() {} void Ev1() {} void Ev2() {}\n"
        " void Wire() { var b = new B(Give); b.OnDone = Own; b.Ev += Ev1; b.Ev += new System.Action(Ev2); } }\n",
        "B.Fire -> W.Own; B.Fire2 -> W.Own; B.Fire3 -> W.Own; B.Fire5 -> W.Ev1; B.Fire6 -> W.Ev1; B.Fire6 -> W.Ev2 ! B.Fire -> W.Ev1",
    ),
    "java": (
        "//- A.java\nclass B { Runnable onDone; void fire() { onDone.run(); } void set(Runnable r) { this.onDone = r; } }\n"
        "class W { void own() {} void wire(B b) { b.onDone = this::own; } void two(B b) { b.set(this::other); } void other() {} }\n",
        "B.fire -> W.own",
    ),
    "cpp": (
        "//- a.cpp\nstruct B { std::function<void()> cb; void (*fp)(int); void fire() { cb(); } void fire2() { fp(1); } void fire3() { this->cb(); } };\n"
        "void work() {}\nvoid take(int a) {}\nvoid wire(B& b) { b.cb = work; b.fp = &take; }\n",
        "B.fire -> work; B.fire2 -> take; B.fire3 -> work",
    ),
    "rust": (
        "//- src/a.rs\nfn work(a: u32) -> u32 { a }\nstruct B { cb: fn(u32) -> u32, bx: Box<dyn Fn(u32) -> u32> }\n"
        "impl B { fn fire(&self) { (self.cb)(1); } fn fire2(&self) { (self.bx)(1); } }\nfn wire() { let b = B { cb: work, bx: Box::new(work) }; b.fire(); }\n"
        "fn wire2(b: &mut B) { b.cb = work; }\n",
        "B.fire -> work",
    ),
    "scala": (
        "//- a.scala\nclass B { var cb: () => Unit = null\n def fire() = cb() }\nclass W { def own(): Unit = {}\n def wire(b: B) = { b.cb = own } \n"
        " def wire2(b: B) = { b.cb = () => own() } }\n",
        "B.fire -> W.own",
    ),
    "dart": (
        "//- a.dart\n"
        "class B { void Function()? onDone; void Function() cb = () {}; void fire() { onDone?.call(); } void fire2() { cb(); } void fire3() { onDone!(); } }\n"
        "void work() {}\nclass W { void own() {} void wire(B b) { b.onDone = work; b.cb = own; } }\n",
        "B.fire -> work; B.fire2 -> W.own",
    ),
    "go": (
        "//- a.go\npackage a\ntype B struct { cb func() }\nfunc (b *B) Fire() { b.cb() }\nfunc (b *B) Fire2() { if b.cb != nil { b.cb() } }\nfunc work() {}\n"
        "func wire(b *B) { b.cb = work }\nfunc wire2() *B { return &B{cb: work} }\ntype Opt func(*B)\nfunc With(x int) Opt { return func(b *B) { b.set(x) } }\n"
        "func (b *B) set(x int) {}\nfunc New(opts ...Opt) { b := &B{}; for _, o := range opts { o(b) } }\n",
        "B.Fire -> work; B.Fire2 -> work; With -> B.set",
    ),
    "python": (
        "//- a.py\nclass B:\n    cb = None\n    def fire(self): self.cb()\n    def on(self, f): self.cb = f\n    def fire2(self):\n"
        "        if self.handlers: [h() for h in self.handlers]\n    def add(self, h): self.handlers = [h]\ndef work(): pass\nclass W:\n    def own(self): pass\n"
        "    def wire(self, b: B):\n        b.cb = work\n        b.on(self.own)\n        b.add(work)\n",
        "B.fire -> work; B.fire -> W.own; B.fire2 -> work",
    ),
    "typescript": (
        "//- a.ts\n"
        "export class B { cb?: () => void; onDone: () => void = () => {}; fire() { this.cb?.() } fire2() { this.onDone() } on(f: () => void) { this.cb = f } }\n"
        "export function work() {}\nexport class W { own() {} wire(b: B) { b.cb = work; b.onDone = this.own.bind(this); b.on(() => this.own()) } }\n",
        "B.fire -> work; B.fire2 -> W.own",
    ),
}
"""What is called is what another function has put into a field."""

INFIX = {
    "haskell": (
        "//- A.hs\nmodule A where\n(<+>) :: Int -> Int -> Int\na <+> b = a\nplus x y = x\nuse = 1 <+> 2\ntick = 1 `plus` 2\n"
        "section = map (<+> 1) []\nwhole = foldr (<+>) 0 []\n",
        "use -> <+>; tick -> plus; section -> <+>; whole -> <+>",
    ),
    "scala": (
        "//- A.scala\nclass V(x: Int) {\n  def +++(o: V): V = o\n  def plus(o: V): V = o\n}\n"
        "object U {\n  def one(a: V, b: V) = a +++ b\n  def two(a: V, b: V) = a plus b\n}\n",
        "U.one -> V.+++; U.two -> V.plus",
    ),
    "elixir": (
        "//- a.ex\ndefmodule Op do\n  def a <~> b, do: {a, b}\n  def left ~>> right, do: left\nend\n"
        "defmodule Use do\n  import Op\n  def one(a, b), do: a <~> b\n  def two(a, b), do: a ~>> b\nend\n",
        "Use.one -> Op.<~>; Use.two -> Op.~>>",
    ),
    "swift": (
        "//- a.swift\ninfix operator <+>: AdditionPrecedence\nfunc <+> (a: Int, b: Int) -> Int { a }\nfunc two() -> Int { 1 <+> 2 }\n",
        "two -> <+>",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nclass V {\n  infix fun join(o: V): V = o\n}\nfun two(a: V, b: V) = a join b\n",
        "two -> V.join",
    ),
    "ocaml": (
        "//- a.ml\nlet ( <+> ) a b = a\nlet ( let* ) x f = f x\nlet u = 1 <+> 2\nlet v = List.fold_left ( <+> ) 0 []\n",
        "u -> <+>",
    ),
    "r": (
        "//- a.R\n`%+%` <- function(a, b) a\nu <- function() 1 %+% 2\n",
        "u -> %+%",
    ),
    "julia": (
        "//- a.jl\n⊕(a, b) = a\nu() = 1 ⊕ 2\nv(xs) = xs |> h\nh(x) = x\n",
        "v -> h",
    ),
}
"""A function that stands between its arguments."""

_SHOP = (
    "<script{0}>\nexport default {1}{{\n  computed: {{ total() {{ return this.helper() }}, full: {{ get() {{ return 1 }} }} }},\n"
    "  watch: {{ name(v) {{ this.check(v) }} }},\n  methods: {{ save() {{ this.check(1) }}, check(x) {{ return this.total }},"
    " helper: function () {{ return this.full }} }},\n  mounted() {{ this.save() }},\n}}{2}\n</script>\n"
    '<template><b @click="save" :title="full">{{{{ total }}}}</b></template>\n'
)
OPTIONS = {
    kind: (
        "//- Shop.vue\n" + _SHOP.format(*parts),
        "total -> helper; save -> check; name -> check; mounted -> save; check -> total; helper -> full;"
        " Shop -> save; Shop -> total; Shop -> full",
    )
    for kind, parts in {
        "plain": ("", "", ""),
        "defined": (' lang="ts"', "defineComponent(", ")"),
    }.items()
}
OPTIONS["in a script"] = (
    "//- cart.js\nexport default {\n  computed: { total() { return this.sum() }, full: { get() { return 1 } } },\n"
    "  watch: { name(v) { this.check(v) } },\n  methods: { sum() {}, check(x) { return this.total } },\n"
    "  mounted() { this.sum(); this.full },\n};\n"
    "//- app.ts\nnew Vue({ methods: { boot() { this.stop() }, stop() {} } });\n",
    "total -> sum; name -> check; check -> total; mounted -> sum; mounted -> full; boot -> stop",
)
"""Members that a component's options declare."""

HELD = {
    "go": (
        "//- go.mod\nmodule ex.org/a\n//- lock/l.go\npackage lock\ntype Locker interface{ Lock(id string) error }\ntype client struct{}\n"
        "func (c *client) Lock(id string) error { return nil }\nfunc work() {}\nfunc start(n int) error { return nil }\nvar Run = work\n"
        "var Start func(n int) error = start\ntype Hooks struct{ Call func(n int) error }\nvar H Hooks\nfunc init() { H.Call = start }\n"
        '//- main.go\npackage main\nimport "ex.org/a/lock"\ntype svc struct{ l lock.Locker }\nfunc (s *svc) do() { s.l.Lock("a") }\n'
        "func once() { lock.Run() }\nfunc twice() { lock.Start(1) }\nfunc thrice() { lock.H.Call(2) }\n",
        "once -> work; twice -> start; thrice -> start; svc.do -> Locker.Lock; svc.do -> client.Lock",
    ),
    "python": (
        "//- a.py\ndef work(): pass\nrun = work\nclass A:\n    call = staticmethod(work)\nX = A()\n"
        "def use(): run()\ndef member(): X.call()\n",
        "use -> work; member -> work",
    ),
    "typescript": (
        "//- a.ts\nfunction work() {}\nexport const run = work\nexport const X = { call: work }\n"
        "//- b.ts\nimport { run, X } from './a'\nexport function one() { run() }\nexport function two() { X.call() }\n",
        "one -> work; two -> work",
    ),
    "c": (
        "//- a.c\nint work(int a) { return a; }\nstatic int (*run)(int) = work;\nint use(void) { return run(1); }\n",
        "use -> work",
    ),
    "rust": (
        "//- src/a.rs\nfn work(a: u32) -> u32 { a }\nstatic RUN: fn(u32) -> u32 = work;\nfn call() -> u32 { RUN(1) }\n",
        "call -> work",
    ),
    "csharp": (
        "//- A.cs\nclass Hooks { public static System.Func<int,int> Call = Work; static int Work(int a) => a; public System.Action Go { get; set; } }\n"
        "class U { int A() { return Hooks.Call(1); } int B() => Hooks.Call.Invoke(1); }\n",
        "U.A -> Hooks.Work; U.B -> Hooks.Work",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nfun work(a: Int) = a\nval run = ::work\nval run2: (Int) -> Int = ::work\nobject H { val call = ::work\n"
        " var late: (Int) -> Int = ::work }\nfun one() { run(1) }\nfun two() { H.call(1) }\nfun three() { run2.invoke(1) }\nfun four() { H.late(1) }\n",
        "one -> work; two -> work; three -> work",
    ),
    "swift": (
        "//- a.swift\nfunc work(_ a: Int) -> Int { a }\nvar run = work\nlet run2: (Int) -> Int = work\nstruct H { static var call = work\n"
        " var go: (Int) -> Int = work }\nfunc one() { run(1) }\nfunc two() { H.call(1) }\nfunc three() { run2(1) }\n",
        "one -> work; two -> work; three -> work",
    ),
    "java": (
        "//- A.java\nimport java.util.function.*;\n"
        "class H { static final Function<Integer,Integer> CALL = H::work; static Runnable run = H::go; static int work(int a) { return a; } static void go() {} }\n"
        "class U { int a() { return H.CALL.apply(1); } void b() { H.run.run(); } }\n",
        "U.a -> H.work; U.b -> H.go",
    ),
    "scala": (
        "//- a.scala\nobject H { def work(a: Int) = a\n val run = work _\n val run2: Int => Int = work }\nobject U { def a = H.run(1)\n def b = H.run2(2) }\n",
        "U.a -> H.work; U.b -> H.work",
    ),
    "zig": (
        "//- a.zig\nfn work(a: u32) u32 { return a; }\nconst run = work;\nconst H = struct { const call = work; };\npub fn one() void { _ = run(1); }\n"
        "pub fn two() void { _ = H.call(1); }\n",
        "one -> work; two -> work",
    ),
    "dart": (
        "//- a.dart\nint work(int a) => a;\nvar run = work;\nfinal int Function(int) run2 = work;\nclass H { static final call = work; }\nvoid one() { run(1); }\n"
        "void two() { H.call(1); }\nvoid three() { run2(1); }\n",
        "one -> work; two -> work; three -> work",
    ),
    "julia": (
        "//- a.jl\nwork(a) = a\nconst run = work\none() = run(1)\n",
        "one -> work",
    ),
    "ocaml": (
        "//- a.ml\nlet work a = a\nlet run = work\nlet one () = run 1\n",
        "one -> work",
    ),
    "cpp": (
        "//- a.cpp\n#include <functional>\nint work(int a) { return a; }\nstd::function<int(int)> run = work;\nauto run2 = &work;\n"
        "struct H { static int (*call)(int); };\nint (*H::call)(int) = work;\nint one() { return run(1); }\nint two() { return run2(1); }\n"
        "int three() { return H::call(1); }\n",
        "one -> work; two -> work",
    ),
    "javascript": (
        "//- a.js\nfunction work() {}\nlet run = work\nconst X = { call: work, inner: { go: work } }\nclass A { cb = work\n go() { this.cb() } }\n"
        "function one() { run() }\nfunction two() { X.call() }\nfunction three() { X.inner.go() }\nmodule.exports.late = work\n//- b.js\nconst a = require('./a')\n"
        "function far() { a.late() }\n",
        "one -> work; two -> work; three -> work; A.go -> work; far -> work",
    ),
}
"""What is called is what a variable of the module, or a field of one, holds."""

COMPATIBLE = {
    "python": (
        "//- a.py\ndef \ufb01nd(x): return x\nclass \uff2bit:\n    def \u210cello(self): return 1\n"
        "//- b.py\nfrom a import find, Kit\ndef use(): return find(1)\ndef member(): return Kit().Hello()\n",
        "use -> find; member -> Kit.Hello",
    ),
}
"""Names that are equal to the language, and have other letters."""

DB_FIXTURE = (
    "//- tests/conftest.py\nimport pytest\n@pytest.fixture\ndef db():\n    return 1\n"
    "//- tests/test_a.py\nimport pytest\n"
)
"""A fixture, and the beginning of a file of tests."""

FORMS = {
    "key paths of Swift": (
        '//- a.swift\nclass S { var name: String { "a" }\n var inner: T { T() }\n func run() {} }\nclass T { var deep: Int { 1 } }\nclass O { let xs: [S]\n init(xs: [S]) { self.xs = xs }\n'
        " func a() { xs.map(\\.name) }\n func b() { let k = \\S.name }\n func c() { xs.sorted(by: \\S.name) }\n func d() { xs.map(\\.inner.deep) }\n func e() { observe(\\S.inner.deep) }\n func f(s: S) { s[keyPath: \\S.name] }\n"
        ' func g() { xs.filter { $0.name == "a" }.map(\\.name) }\n}\n',
        "O.a -> S.name; O.b -> S.name; O.c -> S.name; O.d -> S.inner; O.d -> T.deep; O.e -> T.deep; O.e -> S.inner; O.f -> S.name; O.g -> S.name",
    ),
    "objects of Scala that are called": (
        "//- a.scala\nclass Foo(x: Int) { def run() = 1 }\nobject Foo { def apply(x: Int): Foo = new Foo(x)\n def unapply(f: Foo): Option[Int] = None }\ncase class Bar(x: Int)\nobject Obj { def apply(x: Int) = 2 }\n"
        "object U { def a() = Foo(1)\n def b() = Obj(1)\n def c() = Foo(1).run()\n def d() = { val f = Foo(2); f.run() }\n def e() = new Foo(1)\n def f(x: Any) = x match { case Foo(i) => i }\n"
        " def g() = List(1).map(Foo(_))\n def h() = List(1).map(Foo.apply)\n def i() = Bar(1) }\n",
        "U.a -> Foo.apply; U.b -> Obj.apply; U.c -> Foo.apply; U.c -> Foo.run; U.d -> Foo.run; U.f -> Foo.unapply; U.g -> Foo.apply; U.h -> Foo.apply; U.i -> Bar",
    ),
    "modules of Lua that are used where they are loaded": (
        "//- m.lua\nlocal M = {}\nfunction M.f() return 1 end\nfunction M.new() return setmetatable({}, {__index = M}) end\nfunction M:go() end\nreturn M\n//- other.lua\nlocal O = {}\nfunction O.f() return 1 end\n"
        "function O:go() end\nreturn O\n//- sub/init.lua\nlocal S = {}\nfunction S.g() end\nreturn S\n//- a.lua\nlocal function a() require(\"m\").f() end\nlocal function b() return require('m').new():go() end\n"
        'local f = require("m").f\nlocal function d() f() end\nlocal function e() local m = require("m"); m.f() end\nlocal function g() require("sub").g() end\nlocal ok, m2 = pcall(require, "m")\n'
        "local function h() m2.f() end\n",
        "a -> M.f; b -> M.new; b -> M.go; d -> M.f; e -> M.f; g -> S.g; h -> M.f ! a -> O.f; b -> O.go",
    ),
    "fixtures that are called": (
        "//- tests/test_a.py\nimport pytest\nclass App:\n    def __call__(self): pass\n@pytest.fixture\ndef app(): return App()\n"
        "@pytest.fixture\ndef make():\n    def made(): pass\n    return made\n"
        "def test_a(app): pass\ndef test_b(app): app()\ndef test_c(make): make()\ndef test_d(make): pass\n",
        "test_a -> app; test_b -> App.__call__; test_c -> make.made; test_d -> make; ! test_a -> App.__call__; test_d -> make.made",
    ),
    "parameters of what is no test": (
        f"{DB_FIXTURE}"
        "def helper(db): pass\n"
        "def test_a(rows, other, db): pass\n"
        "def rows(): pass\n"
        "//- a.py\n"
        "def run(db): pass\n",
        "test_a -> db; ! helper -> db; run -> db; test_a -> rows",
    ),
    "fixtures that a mark asks for": (
        f"{DB_FIXTURE}"
        "@pytest.mark.usefixtures('db', 'x')\n"
        "def test_y(): pass\n"
        "@pytest.mark.parametrize('db', [1])\n"
        "def test_z(): pass\n",
        "test_y -> db; ! test_z -> db",
    ),
    "what fixtures give": (
        "//- a.py\n"
        "class Client:\n"
        "    def get(self): pass\n"
        "//- tests/conftest.py\n"
        "import pytest\n"
        "from a import Client\n"
        "@pytest.fixture\n"
        "def client():\n"
        "    return Client()\n"
        "@pytest.fixture\n"
        "def c2():\n"
        "    yield Client()\n"
        "//- tests/test_a.py\n"
        "def test_x(client):\n"
        "    client.get()\n"
        "def test_y(c2): c2.get()\n",
        "test_x -> Client.get; test_y -> Client.get",
    ),
    "fixtures of conftest": (
        "//- tests/conftest.py\n"
        "import pytest\n"
        "@pytest.fixture()\n"
        "def client():\n"
        "    return 1\n"
        "@pytest.fixture\n"
        "def app(client):\n"
        "    return 1\n"
        "//- tests/test_a.py\n"
        "def test_x(client):\n"
        "    pass\n"
        "class TestY:\n"
        "    def test_y(self, app): pass\n"
        "//- other/test_b.py\n"
        "def test_z(client): pass\n",
        "test_x -> client; app -> client; TestY.test_y -> app; ! test_z -> client",
    ),
    "fixtures": (
        "//- tests/test_a.py\n"
        "import pytest\n"
        "@pytest.fixture\n"
        "def client():\n"
        "    return 1\n"
        "def test_x(client):\n"
        "    assert client\n",
        "test_x -> client",
    ),
    "subscribers of Symfony": (
        "//- a.php\n"
        "<?php\n"
        "class Placed {}\n"
        "class Paid {}\n"
        "class Sub implements EventSubscriberInterface {\n"
        "  public static function getSubscribedEvents(): array { return [Placed::class => 'mail', Paid::class => ['bill', 5], 'order.shipped' => [['ship', 1], ['log']]]; }\n"
        "  function mail($e) {}\n"
        "  function bill($e) {}\n"
        "  function ship($e) {}\n"
        " function log() {} }\n"
        "function go($d) { $d->dispatch(new Placed()); }\n"
        "function pay($d) { $d->dispatch(new Paid()); }\n"
        "function s($d) { $d->dispatch(new X(), 'order.shipped'); }\n",
        "go -> Sub.mail; pay -> Sub.bill; ! go -> Sub.bill",
    ),
    "topics in Kotlin": (
        "//- a.kt\n"
        "package k\n"
        "class L {\n"
        ' @KafkaListener(topics = ["orders.placed"])\n'
        " fun on(s: String) {}\n"
        ' @KafkaListener(topics = ["orders.paid"])\n'
        " fun paid(s: String) {}\n"
        "}\n"
        'class P(val t: KafkaTemplate) { fun go() { t.send("orders.placed", "x") } }\n',
        "P.go -> L.on; ! P.go -> L.paid",
    ),
    "topics of Kafka and queues": (
        "//- A.java\n"
        "class L {\n"
        ' @KafkaListener(topics = "orders.placed", groupId = "g")\n'
        " void on(String s) {}\n"
        ' @KafkaListener(topics = "orders.paid")\n'
        " void paid(String s) {}\n"
        ' @RabbitListener(queues = {"a.b", "c.d"})\n'
        " void q(String s) {}\n"
        " @JmsListener(destination = T.PAID)\n"
        " void j(String s) {}\n"
        ' @KafkaListener(topics = "${app.topic}")\n'
        " void cfg(String s) {}\n"
        "}\n"
        'class T { static final String PAID = "x.y"; static final String PLACED = "orders.placed"; }\n'
        'class P { void go(KafkaTemplate t) { t.send("orders.placed", "x"); } void r(RabbitTemplate t) { t.convertAndSend("c.d", 1); } void jj(JmsTemplate t) { t.convertAndSend(T.PAID, 1); }\n'
        " void cc(KafkaTemplate t) { t.send(T.PLACED, 1); } }\n",
        "P.go -> L.on; P.r -> L.q; P.jj -> L.j; ! P.go -> L.paid; P.r -> L.on",
    ),
    "abstract classes of Laravel": (
        "//- a.php\n"
        "<?php\n"
        "abstract class Price { abstract function of(); }\n"
        "class PriceImpl extends Price { function of() { return 1; } }\n"
        "class Use_ { function __construct(private Price $price) {} function go() { return $this->price->of(); } }\n"
        "class P { function register() { $this->app->bind(Price::class, PriceImpl::class); } }\n",
        "Use_.go -> PriceImpl.of",
    ),
    "abstract classes of Nest": (
        "//- a.ts\n"
        "export abstract class Price { abstract of(): number }\n"
        "@Injectable()\n"
        "export class PriceImpl extends Price { of() { return 1 } }\n"
        "export class Use { constructor(private readonly price: Price) {} go() { return this.price.of() } }\n"
        "@Module({ providers: [{ provide: Price, useClass: PriceImpl }] })\n"
        "export class M {}\n",
        "Use.go -> PriceImpl.of",
    ),
    "abstract classes of .NET": (
        "//- A.cs\n"
        "abstract class Price { public abstract int Of(); }\n"
        "class PriceImpl : Price { public override int Of() => 1; }\n"
        "class S { void C(dynamic s) { s.AddScoped<Price, PriceImpl>(); } }\n"
        "class Use { readonly Price price; Use(Price p) { price = p; } int Go() => price.Of(); }\n",
        "Use.Go -> PriceImpl.Of",
    ),
    "abstract classes of Kotlin": (
        "//- a.kt\n"
        "package k\n"
        "abstract class Price { abstract fun of(): Int }\n"
        "@Service class PriceImpl : Price() { override fun of() = 1 }\n"
        "class Use(private val price: Price) { fun go() = price.of() }\n",
        "Use.go -> PriceImpl.of",
    ),
    "abstract classes of Spring": (
        "//- A.java\n"
        "abstract class Price { abstract int of(); }\n"
        "//- B.java\n"
        "@Service class PriceImpl extends Price { int of() { return 1; } }\n"
        "//- C.java\n"
        "class Use { private final Price price; Use(Price p) { price = p; } int go() { return price.of(); } }\n",
        "Use.go -> PriceImpl.of",
    ),
    "tasks of Celery": (
        "//- tasks.py\nfrom celery import shared_task\n@shared_task\ndef mail(id): pass\n@app.task(bind=True)\ndef bill(self, id): pass\n//- b.py\n"
        "from tasks import mail, bill\ndef one(): mail.delay(1)\ndef two(): bill.apply_async(args=[1])\ndef three(): mail.s(1).apply_async()\n"
        "def four(): mail.si(1).delay()\n",
        "one -> mail; two -> bill; three -> mail",
    ),
    "Laravel's list": (
        "//- a.php\n<?php\nnamespace App;\nclass Placed { use Dispatchable; public function __construct(public int $id) {} }\nclass Paid {}\n"
        "class SendMail { public function handle($event) {} }\nclass Log2 { public function handle($event) {} }\n"
        "class EventServiceProvider extends ServiceProvider {\n  protected $listen = [\n    Placed::class => [\n      SendMail::class,\n    ],\n"
        "    Paid::class => [Log2::class],\n  ];\n}\nclass O { public function go() { Placed::dispatch(1); } public function pay() { event(new Paid()); } }\n",
        "App.O.go -> App.SendMail.handle; App.O.pay -> App.Log2.handle; ! App.O.go -> App.Log2.handle; App.O.pay -> App.SendMail.handle",
    ),
    "actions of WordPress": (
        "//- a.php\n<?php\nfunction boot() {}\nfunction other() {}\nadd_action('my_plugin_ready', 'boot');\nadd_action('my_plugin_gone', 'other');\n"
        "add_filter('my_title', 'title');\nfunction title($t) { return $t; }\n"
        "function go() { do_action('my_plugin_ready'); $x = apply_filters('my_title', 'a'); }\n",
        "go -> boot; go -> title; ! go -> other",
    ),
    "notifications by text": (
        "//- a.swift\n"
        'class O { func go() { NotificationCenter.default.post(name: Notification.Name.orderPlaced, object: nil) } func two() { NotificationCenter.default.post(name: NSNotification.Name("order.lost"), object: self) } }\n'
        'extension Notification.Name { static let orderPlaced = Notification.Name("orderPlaced") }\n'
        'class M { init() { NotificationCenter.default.addObserver(self, selector: #selector(M.placed), name: Notification.Name.orderPlaced, object: nil); NotificationCenter.default.addObserver(self, selector: #selector(self.lost), name: NSNotification.Name("order.lost"), object: nil)  }\n'
        " @objc func placed() {}\n @objc func lost() {} }\n",
        "O.go -> M.placed; O.two -> M.lost; ! O.go -> M.lost; O.two -> M.placed",
    ),
    "texts published first": (
        "//- a.py\nfrom pubsub import pub\ndef on_placed(e): pass\ndef on_paid(e): pass\npub.subscribe(on_placed, 'order.placed')\n"
        "pub.subscribe(on_paid, 'order.paid')\ndef go(): pub.sendMessage('order.placed', e=1)\n",
        "go -> on_placed; ! go -> on_paid",
    ),
    "this bound": (
        "//- a.ts\nimport { EventEmitter } from 'events'\nexport const bus = new EventEmitter()\n"
        "export class O { go() { bus.emit('order:placed', 1) } pay() { bus.emit('order:paid') } }\n//- b.ts\nimport { bus } from './a'\n"
        "export class M { constructor() { bus.on('order:placed', this.placed.bind(this)); bus.once('order:paid', (e) => this.paid(e)); bus.addListener('order:x', this.x) }\n"
        " placed() {}\n paid(e: any) {}\n x() {} }\n",
        "O.go -> M.placed; ! O.go -> M.paid; O.go -> M.x",
    ),
    "receivers of Blinker": (
        "//- a.py\nfrom blinker import signal\nplaced = signal('placed')\npaid = signal('paid')\n@placed.connect\ndef mail(s): pass\n@paid.connect_via(app)\n"
        "def bill(s): pass\ndef go(): placed.send(None)\ndef pay(): paid.send(None)\n",
        "go -> mail; ! go -> bill",
    ),
    "symbols of Rails": (
        "//- a.rb\nclass C < Base\n  before_action :auth, only: [:show]\n  after_save :ping\n  validate :check_name\n  def auth; end\n  def ping; end\n"
        "  def check_name; end\n  def w(xs); xs.each(&method(:ping)); end\n  def s(xs); send(:ping); end\n"
        "  def p2; define_method(:x, instance_method(:ping)); end\n  rescue_from Err, with: :auth\n  def t; Thread.new(&method(:ping)); end\nend\n",
        "C -> C.auth; C -> C.ping; C -> C.check_name; C.s -> C.ping",
    ),
    "modules and names of Elixir": (
        '//- a.ex\ndefmodule R do\n  plug :auth\n  get "/", PageController, :index\n  def auth(c, _), do: c\n  def w(x), do: x |> Enum.map(&auth(&1, 1))\n'
        "  def sp, do: spawn(__MODULE__, :auth, [1])\n  def ap, do: apply(__MODULE__, :auth, [1])\n  def tk, do: Task.async(&job/0)\n  def job, do: 1\nend\n"
        "defmodule PageController do\n  def index(c, _), do: c\nend\n",
        "R -> R.auth; R.sp -> R.auth; R.ap -> R.auth; R.w -> R.auth",
    ),
    "literals of Go": (
        "//- go.mod\nmodule ex.org/a\n//- h/h.go\npackage h\ntype Hooks struct { Call func(n int) error; Other func() }\nfunc work(n int) error { return nil }\n"
        "func other() {}\nvar H = Hooks{Call: work, Other: other}\nvar P = &Hooks{Call: work}\ntype S struct { hooks Hooks }\n"
        'func New() *S { return &S{hooks: Hooks{Call: work}} }\nfunc (s *S) Go() { s.hooks.Call(1) }\nvar table = map[string]func(){"a": other}\n'
        "func T(k string) { table[k]() }\nfunc L() { h := Hooks{Call: work}; h.Call(1) }\nfunc LP() { h := &Hooks{Call: work}; h.Call(1) }\n"
        'var list = []func(){other}\nfunc R() { for _, f := range list { f() } }\n//- main.go\npackage main\nimport "ex.org/a/h"\nfunc one() { h.H.Call(1) }\n'
        "func two() { h.P.Call(1) }\nfunc three() { h.H.Other() }\n",
        "one -> work; two -> work; three -> other; S.Go -> work; ! three -> work; one -> other",
    ),
    "lists that are injected": (
        "//- a.kt\npackage k\ninterface Rule { fun run(): Int }\n@Component class One : Rule { override fun run() = 1 }\n"
        "@Component class Two : Rule { override fun run() = 2 }\nclass E(private val rules: List<Rule>) { fun all() = rules.map { it.run() }\n"
        " fun each() { for (r in rules) r.run() }\n fun sum() = rules.sumOf { r -> r.run() } }\n",
        "E.each -> One.run; E.each -> Two.run",
    ),
    "properties of classes in C#": (
        "//- A.cs\nclass K { public static K Instance { get; } = new K(); public static K Other => Make(); static K Make() => null; public void Run() {} }\n"
        "class D { public void Run() {} }\nclass U { void A() { K.Instance.Run(); } void B() { K.Other.Run(); } }\n",
        "U.A -> K.Run; U.B -> K.Run",
    ),
    "members of objects in Kotlin": (
        "//- a.kt\npackage k\nclass S { fun run() {} }\nclass D { fun run() {} }\nobject O { val s = S() }\nclass C { companion object { val s = S() } }\n"
        "fun a() = O.s.run()\nfun c() = C.s.run()\n",
        "a -> S.run; c -> S.run",
    ),
    "types of a package outside": (
        '//- go.mod\nmodule ex.org/a\n//- a/a_test.go\npackage a\nimport ("testing"; "regexp"; "ex.org/a/b")\nfunc TestX(t *testing.T) { t.Skip("a") }\n'
        'func f(re *regexp.Regexp, own *b.Regexp) { re.MatchString("a") }\nfunc g(own *b.Regexp) { own.MatchString("a") }\n//- b/b.go\npackage b\n'
        "type Decbuf struct{}\nfunc (d *Decbuf) Skip(l int) {}\ntype Regexp struct{}\nfunc (d *Regexp) MatchString(s string) {}\n",
        "g -> Regexp.MatchString ! TestX -> Decbuf.Skip; f -> Regexp.MatchString",
    ),
    "what the JVM tells of a class": (
        '//- A.java\nclass A { boolean isRecord() { return false; } String getTypeName() { return ""; } }\n'
        "class U { void a(Object o) { o.getClass().isRecord(); } void b(Object o) { ((Class<?>) o).isRecord(); } void c(Object o) { x(o).getTypeName(); } Object x(Object o) { return o; } }\n",
        "! U.a -> A.isRecord; U.b -> A.isRecord",
    ),
    "exported and not imported": (
        "//- a.ts\nexport interface Response { x: number }\nexport function helper() {}\n//- b.ts\n"
        "export async function go(r: Response): Promise<Response> { helper(); return r }\n//- c.ts\nimport { Response } from './a'\n"
        "export function own(r: Response) {}\n",
        "! go -> helper",
    ),
    "what another function has for itself": (
        "//- a.scala\nclass K { def go() = { def res(x: Int) = x; res(1) } }\nclass U { def u(res0: Int) = res(2) }\n",
        "K.go -> K.go.res ! U.u -> K.go.res",
    ),
    "fixtures under another name": (
        '//- tests/conftest.py\nimport pytest\n@pytest.fixture(name="db")\ndef db_fixture():\n    return 1\n@pytest.fixture(scope="session", name=\'cache\')\n'
        "def _cache(): return 2\n//- tests/test_a.py\nimport pytest\ndef test_x(db): pass\nclass TestY:\n    def test_y(self, cache): pass\n"
        '@pytest.mark.usefixtures("db")\ndef test_z(): pass\ndef test_dyn(request): request.getfixturevalue("db")\n',
        "test_x -> db_fixture; TestY.test_y -> _cache; test_z -> db_fixture; test_dyn -> db_fixture",
    ),
    "fields that provide": (
        "//- ATests.cs\nclass ATests {\n  static readonly object[] Rows = { 1, 2 };\n  public static TheoryData<int> Data = new() { 1 };\n"
        "  public static IEnumerable<object[]> Prop { get; } = null;\n  [TestCaseSource(nameof(Rows))]\n  public void One(int x) {}\n"
        "  [Theory, MemberData(nameof(Data))]\n  public void Two(int x) {}\n  [Theory]\n  [MemberData(nameof(Prop))]\n  public void Three(int x) {}\n"
        "  [TestCaseSource(typeof(Far), nameof(Far.Cases))]\n  public void Four(int x) {}\n  [ClassData(typeof(Gen))]\n  public void Five(int x) {}\n"
        "  [ValueSource(nameof(Rows))] \n  public void Six(int x) {}\n  public void Seven([ValueSource(nameof(Rows))] int x) {}\n  [DynamicData(nameof(Rows))]\n"
        "  public void Eight(int x) {}\n}\nclass Far { public static object[] Cases = { 1 }; }\nclass Gen { }\n",
        "ATests.One -> ATests.Rows; ATests.Two -> ATests.Data; ATests.Three -> ATests.Prop; ATests.Four -> Far.Cases; ATests.Six -> ATests.Rows; ATests.Eight -> ATests.Rows",
    ),
    "providers of Swift": (
        "//- Tests/ATests.swift\nimport Testing\nstruct ATests {\n static let rows = [1, 2]\n static var more: [Int] { [1] }\n"
        " @Test(arguments: rows) func one(x: Int) {}\n @Test(arguments: ATests.rows) func two(x: Int) {}\n"
        ' @Test("name", arguments: Self.more) func three(x: Int) {}\n @Test(arguments: zip(rows, more)) func four(x: Int, y: Int) {}\n}\n',
        "ATests.one -> ATests.rows; ATests.two -> ATests.rows; ATests.three -> ATests.more",
    ),
    "fields that provide in Java": (
        '//- src/test/kotlin/ATest.kt\npackage a\nclass ATest {\n  @ParameterizedTest @MethodSource("rows", "more") fun one(x: Int) {}\n'
        '  @ParameterizedTest @FieldSource("data") fun two(x: Int) {}\n  companion object { @JvmStatic fun rows() = listOf(1)\n'
        "   @JvmStatic fun more() = listOf(1)\n   @JvmStatic val data = listOf(1) }\n}\n//- src/test/java/BTest.java\nclass BTest {\n"
        '  static final List<Integer> data = null;\n  @FieldSource("data") @ParameterizedTest void one(int x) {}\n'
        "  @ParameterizedTest @MethodSource void two(int x) {}\n  static Stream<Integer> two() { return null; }\n"
        "  @ParameterizedTest @EnumSource(Kind.class) void three(Kind k) {}\n  @ParameterizedTest @ArgumentsSource(Prov.class) void four(int k) {}\n"
        '  @Parameters(method = "rows") void five(int x) {}\n  Object[] rows() { return null; }\n}\n'
        "class Prov implements ArgumentsProvider { public Stream provideArguments(Object c) { return null; } }\nenum Kind { A }\n",
        "ATest.one -> ATest.rows; ATest.one -> ATest.more; BTest.one -> BTest.data; BTest.five -> BTest.rows",
    ),
    "texts and constants of Symfony": (
        "//- a.php\n<?php\nclass Placed {}\nclass Paid { const NAME = 'paid'; }\nclass Events { const SHIPPED = 'order.shipped'; }\n"
        "class Sub implements EventSubscriberInterface {\n  public static function getSubscribedEvents() {\n    return [\n      Placed::class => 'mail',\n"
        "      'order.paid' => 'bill',\n      Events::SHIPPED => ['ship', 10],\n      KernelEvents::REQUEST => [['one', 10], ['two']],\n    ];\n  }\n"
        "  function mail($e) {}\n  function bill($e) {}\n  function ship($e) {}\n  function one($e) {}\n  function two($e) {}\n}\nclass Go {\n"
        " function a($d) { $d->dispatch(new Placed()); }\n function b($d) { $d->dispatch(new Paid(), 'order.paid'); }\n"
        " function c($d) { $d->dispatch(new Paid(), Events::SHIPPED); }\n}\n",
        "Go.a -> Sub.mail; Go.b -> Sub.bill; Go.c -> Sub.ship ! Go.a -> Sub.bill; Go.b -> Sub.mail",
    ),
    "events of C#": (
        "//- A.cs\nusing System;\nclass Pub { public event EventHandler Changed; public event Action<int> Other; public Func<int,int> F;\n"
        " public void Fire() { Changed?.Invoke(this, EventArgs.Empty); }\n public void Fire2() { Other(1); }\n public void Fire3() { Other.Invoke(1); }\n"
        " protected virtual void OnChanged() => Changed?.Invoke(this, EventArgs.Empty); }\n"
        "class Sub { Pub p = new Pub(); void Wire() { p.Changed += OnChanged; p.Other += OnOther; p.Changed += this.Two; }\n"
        " void OnChanged(object s, EventArgs e) {}\n void Two(object s, EventArgs e) {}\n void OnOther(int i) {} }\n",
        "Sub.Wire -> Sub.OnChanged; Sub.Wire -> Sub.OnOther; Sub.Wire -> Sub.Two; Pub.Fire -> Sub.OnChanged; Pub.OnChanged -> Sub.OnChanged; Pub.Fire2 -> Sub.OnOther; Pub.Fire3 -> Sub.OnOther; Pub.Fire -> Sub.Two ! Pub.Fire -> Sub.OnOther",
    ),
    "several attributes of PHP": (
        "//- tests/ATest.php\n<?php\nclass ATest extends TestCase {\n  /** @dataProvider rows */\n  public function testA($x) {}\n"
        "  public static function rows() { return [[1]]; }\n  #[TestWith([1])]\n  #[DataProvider('more')]\n  public function testB($x) {}\n"
        "  public static function more(): iterable { yield [1]; }\n  /**\n   * @dataProvider \\Far::far\n   */\n  public function testC($x) {}\n"
        "  /** @depends testA */\n  public function testD() {}\n}\nclass Far { public static function far() {} }\n"
        "it('adds', function ($x) { })->with(fn () => rows2());\nfunction rows2() { return []; }\n",
        "ATest.testA -> ATest.rows; ATest.testB -> ATest.more; ATest.testC -> Far.far; ATest -> rows2",
    ),
    "what hands on by its own name": (
        "//- a.py\nclass Cached:\n    def load_row(self, inner):\n        return inner.load_row()\ndef use(given): given.load_row()\n",
        "use -> Cached.load_row; ! Cached.load_row -> Cached.load_row",
    ),
}
"""Further forms of the kinds above."""

FILE_MODULES = {
    "ocaml": (
        "//- lib/a.ml\nlet parse x = x\nmodule Deep = struct let go x = x end\ntype t = int\n//- lib/b.ml\nlet parse x = x\nmodule Deep = struct let go x = x end\n"
        "//- lib/b.mli\nval parse : int -> int\n//- use.ml\nmodule U = A\nlet one () = A.parse 1\nlet two () = Shop.A.parse 1\nlet three () = U.parse 1\n"
        "let four () = A.Deep.go 1\nlet five () = let open A in parse 2\nlet six xs = List.map A.parse xs\nlet outside () = Yojson.parse 1\n",
        "one -> parse; two -> parse; three -> parse; four -> Deep.go; five -> parse; six -> parse; ! outside -> parse",
    ),
    "haskell": (
        "//- A.hs\nmodule A where\nhelper s = s\n//- C.hs\nmodule C where\nhelper s = s\n//- B.hs\nmodule B where\nimport A\nbare s = helper s\nnamed s = A.helper s\n"
        "//- D.hs\nmodule D where\nimport qualified A\nimport M qualified as A\nouter s = helper s\n",
        "bare -> helper; named -> helper; ! outer -> helper",
    ),
    "gdscript": (
        "//- actors/base.gd\nextends Node2D\nfunc step(): pass\n//- other.gd\nextends Node2D\nfunc step(): pass\nfunc help(): pass\n"
        '//- actors/player.gd\nextends "res://actors/base.gd"\nconst Other = preload("res://other.gd")\nfunc go():\n\tstep()\n\tOther.help()\n'
        '//- actors/enemy.gd\nextends "base.gd"\nfunc run(): step()\n',
        "go -> step; go -> help; run -> step",
    ),
    "groovy": (
        '//- main.nf\ninclude { RAW as READ } from "./mods/a.nf"\ninclude { OTHER } from "./mods/a.nf"\nworkflow ALL {\n  READ(x)\n  OTHER(y)\n}\n'
        '//- mods/a.nf\nprocess RAW {\n  script: "x"\n}\nprocess OTHER {\n  script: "y"\n}\n//- mods/b.nf\nprocess OTHER {\n  script: "z"\n}\n',
        "ALL -> RAW; ALL -> OTHER",
    ),
    "objc": (
        '//- Base.h\n@interface Base : NSObject\n- (void)ping;\n@property (nonatomic) int size;\n@end\n//- Base.m\n#import "Base.h"\n@implementation Base\n- (void)ping { }\n@end\n'
        '//- Sub.h\n#import "Base.h"\n@interface Sub : Base\n- (void)run;\n@end\n//- Sub.m\n#import "Sub.h"\n@implementation Sub\n- (void)run { [self ping]; self.size = 1; }\n@end\n',
        "Sub.run -> Base.ping; Sub.run -> Base.size",
    ),
    "dart": (
        "//- lib/a.dart\nint start() => 1;\nclass A { void go() {} }\n//- lib/b.dart\nint start() => 1;\nclass A { void stop() {} }\n"
        "//- lib/c.dart\nimport 'package:x/a.dart';\nint run() { A().go(); return start(); }\n",
        "run -> start; run -> A.go",
    ),
    "solidity": (
        "//- src/A.sol\ninterface I { function go() external; }\ncontract Same { function go() public {} }\n//- src/B.sol\ncontract Same { function stop() public {} }\n"
        '//- src/C.sol\nimport {I as Other} from "./A.sol";\nimport "./B.sol";\ncontract C is Same { Other other; function run() public { stop(); other.go(); } }\n',
        "C -> Same; C.run -> Same.stop; C.run -> I.go",
    ),
}
"""Of several files that define a name, the one that is named: as a module, or as an import does."""

BARE_METHODS = {
    "haskell": (
        "//- A.hs\nmodule A where\nclass Shape a where\n  area :: a -> Double\ndata Sq = Sq Double\ninstance Shape Sq where\n  area (Sq d) = d\none s = area s\n"
        "two xs = map area xs\n//- B.hs\nmodule B where\nimport A\nthree s = area s\n//- C.hs\nmodule C where\nclass Other a where\n  area :: a -> Int\n",
        "one -> Shape.area; two -> Shape.area; three -> Shape.area; ! one -> Other.area",
    ),
    "clojure": (
        "//- src/a.clj\n(ns a)\n(defprotocol Priced (price [x]))\n(defrecord Item [cost] Priced (price [_] cost))\n(defn one [x] (price x))\n"
        "(defn made [] [(->Item 1) (Item. 2)])\n//- src/b.clj\n(ns b (:require [a :refer [price]]))\n(defn two [x] (price x))\n",
        "a.one -> a.Priced.price; b.two -> a.Priced.price; a.made -> a.Item",
    ),
}
"""What a class of types or a protocol declares, called as any function is."""

CHAINED = {
    "dart": (
        "//- a.dart\nclass A { A next() => this; void go() {} }\nclass B { void go() {} }\nvoid made() { A().go(); }\n",
        "made -> A.go; ! made -> B.go",
    ),
    "gdscript": (
        "//- a.gd\nclass_name A\nfunc go(): pass\n//- b.gd\nclass_name B\nfunc go(): pass\n//- c.gd\nclass_name C\nfunc made(): A.new().go()\nfunc held():\n\tvar a := A.new()\n\ta.go()\n",
        "C.made -> A.go; C.held -> A.go; ! C.made -> B.go",
    ),
    "objc": (
        "//- Sources/A.h\n@interface A : NSObject\n+ (instancetype)shared;\n- (instancetype)initWithName:(NSString *)n;\n- (void)go;\n@end\n"
        '//- Sources/A.m\n#import "A.h"\n@implementation A\n+ (instancetype)shared { return nil; }\n- (instancetype)initWithName:(NSString *)n { return self; }\n- (void)go { }\n@end\n'
        "//- Sources/B.m\n@implementation B\n- (instancetype)initWithName:(NSString *)n { return self; }\n- (void)go { }\n@end\n"
        '//- Tests/T.m\n#import "A.h"\n@implementation T\n- (void)made { A *a = [[A alloc] initWithName:@"x"]; [a go]; }\n- (void)of { [[A shared] go]; }\n- (void)each { [xs enumerate:^(A *x) { [x go]; }]; }\n@end\n',
        "T.made -> A.initWithName; T.made -> A.go; T.of -> A.shared; T.of -> A.go; T.each -> A.go; ! T.made -> B.initWithName",
    ),
    "r": (
        '//- R/a.R\nStack <- R6::R6Class("Stack", public = list(push = function(x) x))\nOther <- R6::R6Class("Other", public = list(push = function(x) x))\n'
        "use <- function() { s <- Stack$new(); s$push(1) }\n",
        "use -> Stack; use -> Stack.push; ! use -> Other.push",
    ),
    "powershell": (
        "//- a.psm1\nclass A { static [A] Make() { return [A]::new() }\n [void] Go() { } }\nfunction Use { [A]::Make(); & Get-B; . Get-B }\nfunction Get-B { }\n",
        "Use -> A.Make; Use -> Get-B",
    ),
}
"""A member of what an expression gives."""

NARROWED = {
    "csharp": (
        "//- A.cs\nclass Foo { public void Run() {} public Foo Next; public int N => 1; }\nclass Bar { public void Run() {} public void Stop() {} }\nclass U {\n void A(object o) { if (o is Foo f) f.Run(); }\n"
        " void B(object o) { if (!(o is Foo f)) return; f.Run(); }\n void C(object o) { if (o is not Foo f) return; f.Run(); }\n void D(object o) { switch (o) { case Foo f: f.Run(); break; case Bar b: b.Stop(); break; } }\n"
        " int E(object o) => o switch { Foo f => f.N, Bar b => 1, _ => 0 };\n void F(object o) { if (o is Foo { N: 1 } f) f.Run(); }\n void G(object o) { switch (o) { case Foo f when f.N > 1: f.Run(); break; } }\n"
        " void H(object o) { if (o is Foo or Bar) { } if (o is Foo f && f.N > 1) { f.Run(); } }\n void I(object o) { if (o is Foo { Next: Foo g }) g.Run(); }\n void J(object o) { if (o is Foo { Next: var g }) g.Run(); }\n"
        " void K(Foo o) { if (o is { } g) g.Run(); }\n void L(Foo o) { if (o is var g) g.Run(); }\n void M(object o) { var x = o as Foo; x?.Run(); }\n void N2(object o) { ((Foo)o).Run(); (o as Foo)?.Run(); }\n"
        "}\n",
        "U.A -> Foo.Run; U.B -> Foo.Run; U.C -> Foo.Run; U.D -> Foo.Run; U.D -> Bar.Stop; U.E -> Foo.N; U.F -> Foo.Run; U.G -> Foo.Run; U.H -> Foo.Run; U.I -> Foo.Run; U.J -> Foo.Run; U.K -> Foo.Run; U.L -> Foo.Run; U.M -> Foo.Run; U.N2 -> Foo.Run ! U.A -> Bar.Run",
    ),
    "typescript": (
        "//- a.ts\nexport class Foo { run() {} }\nexport class Bar { run() {} stop() {} }\nexport function isFoo(x: unknown): x is Foo { return x instanceof Foo }\nexport function assertFoo(x: unknown): asserts x is Foo {}\n"
        "const isBar = (x: any): x is Bar => true\nexport function a(x: unknown) { if (isFoo(x)) { x.run() } }\nexport function b(x: unknown) { if (x instanceof Foo) x.run() }\nexport function c(x: unknown) { if (!isFoo(x)) return; x.run() }\n"
        "export function d(x: unknown) { return isFoo(x) && x.run() }\nexport function e(x: unknown) { return isFoo(x) ? x.run() : null }\nexport function f(x: unknown) { assertFoo(x); x.run() }\n"
        "export function g(x: Foo | Bar) { if (x instanceof Bar) x.stop() }\nexport function h(x: any) { if (isBar(x)) x.stop() }\nexport function i(xs: unknown[]) { xs.filter(isFoo).forEach(q => q.run()) }\n"
        "class K { t: unknown; isFoo(x: unknown): x is Foo { return true } m(x: unknown) { if (this.isFoo(x)) x.run() } n() { if (this.t instanceof Foo) this.t.run() }\n p() { if (isFoo(this.t)) this.t.run() } }\n"
        "export function j(x: unknown) { if (!(x instanceof Foo)) throw new Error(); x.run() }\nexport function k(xs: unknown[]) { for (const x of xs) { if (x instanceof Foo) x.run() } }\n"
        "export function l(x: unknown) { while (isFoo(x)) { x.run() } }\nexport function m(x: unknown) { (x as Foo).run() }\n//- b.ts\nimport { isFoo } from './a'\nexport function far(x: unknown) { if (isFoo(x)) { x.run() } }\n",
        "a -> Foo.run; b -> Foo.run; c -> Foo.run; d -> Foo.run; e -> Foo.run; f -> Foo.run; g -> Bar.stop; h -> Bar.stop; i -> Foo.run; K.m -> Foo.run; K.n -> Foo.run; K.p -> Foo.run; j -> Foo.run; k -> Foo.run; l -> Foo.run; m -> Foo.run; far -> Foo.run ! a -> Bar.run; b -> Bar.run; c -> Bar.run; i -> Bar.run",
    ),
    "python": (
        "//- a.py\nfrom typing import TypeGuard, TypeIs\nclass Foo:\n    def run(self): pass\nclass Bar:\n    def run(self): pass\n    def stop(self): pass\ndef is_foo(x: object) -> TypeGuard[Foo]: return True\n"
        "def is_foo2(x) -> 'TypeIs[Foo]': return True\ndef a(x):\n    if isinstance(x, Foo): x.run()\ndef b(x):\n    if is_foo(x): x.run()\ndef c(x):\n    if not isinstance(x, Foo): return\n"
        "    x.run()\ndef d(x):\n    match x:\n        case Foo() as q: q.run()\n        case Bar(): x.stop()\ndef e(x):\n    if is_foo2(x): x.run()\n",
        "a -> Foo.run; b -> Foo.run; c -> Foo.run; d -> Foo.run; d -> Bar.stop; e -> Foo.run ! a -> Bar.run; b -> Bar.run",
    ),
}
"""What a test, a pattern or a guard finds a value to be."""

TYPE_PARAMETERS = {
    "go": (
        "//- a.go\npackage a\ntype Runner interface { Run() }\ntype S struct{}\nfunc (s *S) Run() {}\ntype D struct{}\nfunc (d *D) Other() {}\nfunc All[T Runner](xs []T) { for _, x := range xs { x.Run() } }\n"
        "func One[T Runner](x T) { x.Run() }\nfunc Two[K comparable, V Runner](m map[K]V) { for _, v := range m { v.Run() } }\nfunc Three[T interface{ Run() }](x T) { x.Run() }\ntype Box[T Runner] struct { v T; list []T }\n"
        "func (b *Box[T]) Go() { b.v.Run() }\nfunc (b *Box[T]) Each() { for _, x := range b.list { x.Run() } }\nfunc Four[T *S](x T) { x.Run() }\nfunc Five[T any](x T) { x.Run() }\nfunc Six[A, B Runner](a A, b B) { b.Run(); a.Run() }\n"
        "func Seven[T Runner](f func() T) { f().Run() }\nfunc Eight[T Runner]() { var x T; x.Run() }\nfunc use() { One(&S{}) }\n",
        "All -> Runner.Run; One -> Runner.Run; One -> S.Run; Two -> Runner.Run; Box.Go -> Runner.Run; Box.Each -> Runner.Run; Six -> Runner.Run; Eight -> Runner.Run; All -> S.Run",
    ),
    "csharp": (
        "//- A.cs\ninterface IR { void Run(); }\nclass S : IR { public void Run() {} }\nclass U { void A<T>(T x) where T : IR { x.Run(); } void B<T>(System.Collections.Generic.List<T> xs) where T : IR { foreach (var x in xs) x.Run(); } }\n"
        "class Box<T> where T : IR { T v; void Go() { v.Run(); } }\n",
        "U.A -> IR.Run; U.B -> IR.Run; Box.Go -> IR.Run; U.A -> S.Run",
    ),
    "java": (
        "//- A.java\ninterface JR { void run(); }\nclass JS implements JR { public void run() {} }\nclass JU { <T extends JR> void a(T x) { x.run(); } <T extends JR> void b(java.util.List<T> xs) { for (T x : xs) x.run(); } }\n"
        "class JBox<T extends JR> { T v; void go() { v.run(); } }\n",
        "JU.a -> JR.run; JU.a -> JS.run; JU.b -> JR.run; JBox.go -> JR.run",
    ),
    "kotlin": (
        "//- a.kt\npackage k\ninterface KR { fun krun() }\nclass KS : KR { override fun krun() {} }\nfun <T : KR> ka(x: T) { x.krun() }\nfun <T> kb(x: T) where T : KR { x.krun() }\nclass KBox<T : KR>(val v: T) { fun go() { v.krun() } }\n",
        "ka -> KR.krun; kb -> KR.krun; KBox.go -> KR.krun; ka -> KS.krun",
    ),
    "typescript": (
        "//- a.ts\ninterface TR { trun(): void }\nclass TS implements TR { trun() {} }\nfunction ta<T extends TR>(x: T) { x.trun() }\nclass TBox<T extends TR> { constructor(private v: T) {} go() { this.v.trun() } }\n",
        "ta -> TR.trun; TBox.go -> TR.trun; ta -> TS.trun",
    ),
    "swift": (
        "//- a.swift\nprotocol SR { func srun() }\nclass SS: SR { func srun() {} }\nfunc sa<T: SR>(_ x: T) { x.srun() }\nfunc sb<T>(_ x: T) where T: SR { x.srun() }\nfunc sc(_ x: some SR) { x.srun() }\n"
        "func sd(_ x: any SR) { x.srun() }\nstruct SBox<T: SR> { let v: T; func go() { v.srun() } }\n",
        "sa -> SR.srun; sb -> SR.srun; sc -> SR.srun; sd -> SR.srun; SBox.go -> SR.srun; sa -> SS.srun",
    ),
    "rust": (
        "//- src/a.rs\npub trait RR { fn rrun(&self); }\npub struct RS; impl RR for RS { fn rrun(&self) {} }\nfn ra<T: RR>(x: T) { x.rrun(); }\nfn rb<T>(x: &T) where T: RR { x.rrun(); }\n"
        "fn rc(x: impl RR) { x.rrun(); }\nstruct RBox<T: RR> { v: T }\nimpl<T: RR> RBox<T> { fn go(&self) { self.v.rrun(); } }\nfn rd<T: RR>() { T::rrun(); }\n",
        "ra -> RR.rrun; rb -> RR.rrun; rc -> RR.rrun; RBox.go -> RR.rrun; rd -> RR.rrun; ra -> RS.rrun",
    ),
    "scala": (
        "//- a.scala\ntrait AR { def arun(): Unit }\nclass AS extends AR { def arun(): Unit = {} }\nobject AU { def aa[T <: AR](x: T) = x.arun()\n def ab[T <: AR](xs: List[T]) = xs.foreach(_.arun()) }\n"
        "class ABox[T <: AR](v: T) { def go() = v.arun() }\n",
        "AU.aa -> AR.arun; AU.ab -> AR.arun; ABox.go -> AR.arun",
    ),
    "dart": (
        "//- a.dart\nabstract class DR { void drun(); }\nclass DS implements DR { void drun() {} }\nvoid da<T extends DR>(T x) { x.drun(); }\nclass DBox<T extends DR> { final T v; DBox(this.v); void go() { v.drun(); } }\n",
        "da -> DR.drun; DBox.go -> DR.drun; da -> DS.drun",
    ),
    "python": (
        "//- a.py\nfrom typing import TypeVar, Protocol\nclass PR(Protocol):\n    def prun(self): ...\nclass PS(PR):\n    def prun(self): pass\nT = TypeVar('T', bound=PR)\ndef pa(x: T): x.prun()\n"
        "def pb[U: PR](x: U): x.prun()\nclass PBox[U: PR]:\n    def __init__(self, v: U): self.v = v\n    def go(self): self.v.prun()\n",
        "pa -> PR.prun; pb -> PR.prun; PBox.go -> PR.prun",
    ),
}
"""A member of a type parameter is one of what it is bound to."""

EXPECTED = {
    "csharp": (
        "//- A.cs\nclass Foo { public void Run() {} public int N => 1; }\nclass Decoy { public void Run() {} }\nclass Maker { public bool Make(out Foo f) { f = null; return true; } public static bool Try(string s, out Foo f, out int n) { f = null; n = 1; return true; }\n"
        '  public static void Refd(ref Foo f) {} }\nclass U { Maker m = new Maker();\n void A() { m.Make(out var x); x.Run(); }\n void B() { m.Make(out Foo x); x.Run(); }\n void C() { if (Maker.Try("a", out var x, out var n)) x.Run(); }\n'
        ' void D() { if (!Maker.Try("a", out var x, out _)) return; x.Run(); }\n void E() { Local(out var x); x.Run(); void Local(out Foo f) { f = null; } }\n void F(Maker mk) { if (mk.Make(f: out var x)) { x.Run(); } }\n'
        " bool G(Maker mk) => mk.Make(out var x) && x.N > 1;\n void H() { Foo x; m.Make(out x); x.Run(); }\n void I(Maker mk) { mk?.Make(out var x); x.Run(); }\n}\n",
        "U.A -> Foo.Run; U.B -> Foo.Run; U.C -> Foo.Run; U.D -> Foo.Run; U.E -> Foo.Run; U.F -> Foo.Run; U.G -> Foo.N; U.H -> Foo.Run; U.I -> Foo.Run ! U.A -> Decoy.Run; U.C -> Decoy.Run",
    ),
    "rust": (
        "//- src/a.rs\n#[derive(Clone)]\npub struct Foo { n: u32 }\nimpl Default for Foo { fn default() -> Self { Foo { n: 1 } } }\nimpl From<u32> for Foo { fn from(n: u32) -> Self { Foo { n } } }\n"
        "pub struct Bar;\nimpl Default for Bar { fn default() -> Self { Bar } }\nimpl Bar { pub fn new() -> Self { Bar } }\npub struct Hold { foo: Foo, bar: Bar }\nfn a() { let x: Foo = Default::default(); }\n"
        "fn b() -> Hold { Hold { foo: Default::default(), bar: Bar } }\nfn c() -> Foo { Default::default() }\nfn d() { let x = Foo::default(); }\nfn e() -> Hold { Hold { foo: Foo { n: 1 }, ..Default::default() } }\n"
        "fn k() { let x = <Foo as Default>::default(); }\nfn l() { let x: Hold; x.unwrap_or_default(); }\nimpl Default for Hold { fn default() -> Self { Hold { foo: Default::default(), bar: Default::default() } } }\n"
        "fn m<T: Make>() -> T { T::make() }\npub trait Make { fn make() -> Self; }\nimpl Make for Foo { fn make() -> Self { Foo { n: 2 } } }\n",
        "a -> Foo.default; b -> Foo.default; c -> Foo.default; d -> Foo.default; e -> Hold.default; k -> Foo.default; Hold.default -> Foo.default; Hold.default -> Bar.default; m -> Make.make ! a -> Bar.default; c -> Bar.default",
    ),
}
"""A value of the type that its place is declared to have."""

RUN_BY_MARKS = {
    "java": (
        "//- src/test/java/BTest.java\nclass BTest {\n  @ParameterizedTest @ArgumentsSource(Prov.class) void four(int k) {}\n  @ParameterizedTest @EnumSource(Kind.class) void three(Kind k) {}\n"
        "  @ConvertWith(Conv.class) void five(@ConvertWith(Conv.class) int x) {}\n  @ExtendWith(Ext.class) void six() {}\n}\n@ExtendWith(Ext.class) class CTest { }\nclass Prov implements ArgumentsProvider { public Stream provideArguments(Object c) { return null; } }\n"
        "class Conv implements ArgumentConverter { public Object convert(Object o, ParameterContext c) { return null; } }\nclass Ext implements BeforeEachCallback { public void beforeEach(ExtensionContext c) {} }\n"
        "enum Kind { A }\n//- src/main/java/V.java\n@Constraint(validatedBy = PhoneValidator.class) @interface Phone {}\nclass PhoneValidator implements ConstraintValidator { public boolean isValid(String v, Object c) { return true; } }\n"
        "@JsonSerialize(using = MoneySer.class) class Money {}\nclass MoneySer extends JsonSerializer { public void serialize(Object o, Object g, Object p) {} }\n@Entity @EntityListeners(Audit.class) class E { @Convert(converter = C.class) String x; }\n"
        "class Audit { @PrePersist void touch(E e) {} }\nclass C implements AttributeConverter { public Object convertToDatabaseColumn(Object a) { return null; } public Object convertToEntityAttribute(Object a) { return null; } }\n",
        "BTest.four -> Prov.provideArguments; BTest.five -> Conv.convert; BTest.six -> Ext.beforeEach; CTest -> Ext.beforeEach; Phone -> PhoneValidator.isValid; Money -> MoneySer.serialize",
    ),
    "kotlin": (
        "//- src/test/kotlin/KTest.kt\npackage a\nclass KTest { @ParameterizedTest @ArgumentsSource(KProv::class) fun four(k: Int) {} }\nclass KProv : ArgumentsProvider { override fun provideArguments(c: Any) = null }\n",
        "KTest.four -> KProv.provideArguments",
    ),
    "csharp": (
        "//- ATests.cs\nclass ATests {\n  [Theory] [ClassData(typeof(Gen))] public void Five(int x) {}\n  [ServiceFilter(typeof(Filt))] public void Six() {}\n  [TestCaseSource(typeof(Gen2))] public void Seven(int x) {}\n"
        "  [JsonConverter(typeof(JC))] public int Eight { get; set; }\n}\nclass Gen : IEnumerable<object[]> { public IEnumerator<object[]> GetEnumerator() { yield break; } }\nclass Gen2 : IEnumerable { public IEnumerator GetEnumerator() { yield break; } }\n"
        "class Filt : IActionFilter { public void OnActionExecuting(object c) {} public void OnActionExecuted(object c) {} }\nclass JC : JsonConverter { public override object Read(int a) => 1; }\n",
        "ATests.Five -> Gen.GetEnumerator; ATests.Seven -> Gen2.GetEnumerator; ATests.Six -> Filt.OnActionExecuting",
    ),
    "php": (
        "//- a.php\n<?php\n#[ObservedBy([UserObserver::class])] class A {}\n#[ObservedBy(UserObserver::class)] class B {}\nclass UserObserver { function created($a) {} function helper() {} }\n",
        "A -> UserObserver.created; B -> UserObserver.created ! A -> UserObserver.helper",
    ),
    "typescript": (
        "//- a.ts\nclass AuthGuard { canActivate() { return true } helper() {} }\nclass Log { intercept() {} }\n@UseGuards(AuthGuard) export class A { @UseInterceptors(Log) m() {} }\n",
        "A -> AuthGuard.canActivate; A -> Log.intercept ! A -> AuthGuard.helper",
    ),
}
"""What runs of a class that an annotation, an attribute or a decorator is given."""

ALIASED = {
    "rust": (
        "//- src/a.rs\npub struct Shape; impl Shape { fn area(&self) {} fn new() -> Self { Shape } }\ntype S = Shape;\nfn a(s: S) { s.area(); }\nfn a2(s: &mut S) { s.area() }\nfn a3() { S::new(); }\n",
        "a -> Shape.area; a2 -> Shape.area; a3 -> Shape.new",
    ),
    "kotlin": (
        "//- b.kt\npackage b\nclass Sb { fun area() = 1 }\ntypealias T = Sb\nfun b(t: T) = t.area()\nfun b2() = T().area()\n",
        "b -> Sb.area; b2 -> Sb.area",
    ),
    "swift": (
        "//- c.swift\nclass Sc { func area() {} }\ntypealias Tc = Sc\nfunc c(_ t: Tc) { t.area() }\nfunc c2() { Tc().area() }\n",
        "c -> Sc.area; c2 -> Sc.area",
    ),
    "csharp": (
        "//- d.cs\nusing Td = My.Sd;\nnamespace My { class Sd { public void Area() {} public static void Mk() {} } }\nclass Ud { void D(Td t) { t.Area(); } void E() { Td.Mk(); new Td().Area(); } }\n",
        "Ud.D -> My.Sd.Area; Ud.E -> My.Sd.Area; Ud.E -> My.Sd.Mk",
    ),
    "cpp": (
        "//- e.cpp\nstruct Se { void area() {} };\nusing Te = Se;\ntypedef Se Tf;\nvoid e(Te t) { t.area(); }\nvoid f(Tf* t) { t->area(); }\nvoid g() { Te t; t.area(); }\n",
        "e -> Se.area; f -> Se.area; g -> Se.area",
    ),
    "dart": (
        "//- g.dart\nclass Sg { void area() {} }\ntypedef Tg = Sg;\nvoid g(Tg t) { t.area(); }\nvoid g2() { Tg().area(); }\n",
        "g -> Sg.area; g2 -> Sg.area",
    ),
    "scala": (
        "//- h.scala\nclass Sh { def area() = 1 }\nobject Uh { type Th = Sh\n def h(t: Th) = t.area() }\n",
        "Uh.h -> Sh.area",
    ),
    "go": (
        "//- i.go\npackage i\ntype Si struct{}\nfunc (s Si) area() {}\ntype Ti = Si\nfunc i(t Ti) { t.area() }\n",
        "i -> Si.area",
    ),
    "python": (
        "//- a.py\nclass S:\n    def area(self): pass\nT = S\ntype U = S\nV: TypeAlias = S\ndef a(t: T): t.area()\ndef b(t: U): t.area()\ndef c(t: V): t.area()\n",
        "a -> S.area; b -> S.area; c -> S.area",
    ),
    "typescript": (
        "//- a.ts\nexport class S { area() {} }\nexport type T = S;\nexport type O = S | null;\nfunction a(t: T) { t.area() }\nfunction b(t: O) { t.area() }\n//- b.ts\nimport type { T as Q } from './a'\nfunction c(t: Q) { t.area() }\n",
        "a -> S.area; b -> S.area; c -> S.area",
    ),
    "go, with methods of its own": (
        "//- a.go\npackage a\ntype Conf struct{}\nfunc (c Conf) area() {}\ntype Kuma = Conf\nfunc (k *Kuma) make() {}\nfunc a(k Kuma) { k.area(); k.make() }\n",
        "a -> Conf.area; a -> Kuma.make",
    ),
    "in a circle": (
        "//- a.ts\ntype Json = string | Json[] | Obj\nexport class Obj { area() {} }\ntype A = B\ntype B = A\nfunction a(j: Json, b: B) { j.area(); b.area() }\n",
        "a -> Obj.area",
    ),
}
"""A member of what is declared by another name of its type."""

OPERATORS = {
    "groovy": (
        "//- a.groovy\nclass Vec {\n int x\n Vec plus(Vec o) { o }\n Vec minus(Vec o) { o }\n int getAt(int i) { x }\n void putAt(int i, int v) {}\n boolean equals(Object o) { true }\n int compareTo(Vec o) { 0 }\n Vec leftShift(int n) { this }\n Vec multiply(int n) { this }\n Vec negative() { this }\n int call(int a) { a }\n boolean isCase(Object o) { true }\n Vec next() { this }\n}\ndef a(Vec v, Vec w) { v + w }\ndef b(Vec v, Vec w) { return v - w }\ndef c(Vec v) { v[0] }\ndef d(Vec v) { v[0] = 1 }\ndef e(Vec v, Vec w) { v == w }\ndef f(Vec v, Vec w) { v <=> w }\ndef g(Vec v) { v << 1 }\ndef h(Vec v) { v * 2 }\ndef i(Vec v) { -v }\ndef j() { Vec v = new Vec(); v += v }\ndef k() { def v = new Vec(); v + v }\ndef p(int a, int b) { a + b }\n",
        "a -> Vec.plus; b -> Vec.minus; c -> Vec.getAt; d -> Vec.putAt; k -> Vec.plus ! p -> Vec.plus",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nclass Vec(val x: Int) {\n  operator fun plus(o: Vec) = Vec(x + o.x)\n  operator fun minus(o: Vec) = Vec(x - o.x)\n  operator fun get(i: Int): Int = x\n  operator fun set(i: Int, v: Int) {}\n"
        "  operator fun unaryMinus() = Vec(-x)\n  operator fun contains(i: Int) = true\n  operator fun compareTo(o: Vec) = 0\n  operator fun plusAssign(o: Vec) {}\n  operator fun rangeTo(o: Vec) = 1\n"
        "  operator fun inc() = this\n  operator fun not() = true\n  operator fun component1() = x\n  operator fun iterator(): Iterator<Int> = TODO()\n  override fun equals(o: Any?) = true\n"
        "  operator fun invoke() = 1\n  operator fun times(n: Int) = this\n}\nfun a(v: Vec, w: Vec) = v + w\nfun b(v: Vec, w: Vec) = v - w\nfun c(v: Vec) = v[0]\nfun d(v: Vec) { v[0] = 1 }\n"
        "fun e(v: Vec) = -v\nfun f(v: Vec) = 1 in v\nfun g(v: Vec, w: Vec) = v < w\nfun h(v: Vec, w: Vec) { v += w }\nfun i(v: Vec) = !v\nfun j(v: Vec) { for (q in v) { } }\nfun k2(v: Vec, w: Vec) = v == w\n"
        "fun l(v: Vec) = v()\nfun m(v: Vec, w: Vec) = (v + w)[0]\nfun n(v: Vec) { val (x) = v }\nfun o(v: Vec) = v * 2\nfun p(x: Int, y: Int) = x + y\n",
        "a -> Vec.plus; b -> Vec.minus; c -> Vec.get; d -> Vec.set; e -> Vec.unaryMinus; f -> Vec.contains; h -> Vec.plusAssign; l -> Vec.invoke; o -> Vec.times ! p -> Vec.plus",
    ),
    "csharp": (
        "//- A.cs\nclass Vec { public int X;\n  public static Vec operator +(Vec a, Vec b) => a;\n  public static Vec operator -(Vec a, Vec b) => a;\n  public static Vec operator -(Vec a) => a;\n"
        "  public static bool operator ==(Vec a, Vec b) => true;\n  public static Vec operator *(Vec a, int n) => a;\n  public static bool operator <(Vec a, Vec b) => true;\n  public static bool operator >(Vec a, Vec b) => true;\n"
        "  public int this[int i] { get => X; set { X = value; } }\n  public static implicit operator int(Vec v) => v.X;\n}\nclass U { Vec f;\n  Vec A(Vec v, Vec w) => v + w;\n  Vec B(Vec v, Vec w) { return v - w; }\n"
        "  bool C(Vec v, Vec w) { return v == w; }\n  Vec E(Vec v) => v * 2;\n  bool F(Vec v, Vec w) => v < w;\n  int G(Vec v) => v[0];\n  void H(Vec v) { v[0] = 1; }\n  void I(Vec v, Vec w) { v += w; }\n"
        "  Vec K(Vec v) => f + v;\n  int P(int a, int b) => a + b;\n}\n",
        "U.A -> Vec.+; U.B -> Vec.-; U.C -> Vec.==; U.E -> Vec.*; U.F -> Vec.<; U.G -> Vec.this; U.H -> Vec.this; U.I -> Vec.+; U.K -> Vec.+ ! U.P -> Vec.+",
    ),
    "dart": (
        "//- a.dart\nclass Vec { final int x; Vec(this.x);\n  Vec operator +(Vec o) => Vec(x + o.x);\n  Vec operator -(Vec o) => this;\n  Vec operator -() => this;\n  int operator [](int i) => x;\n"
        "  void operator []=(int i, int v) {}\n  bool operator ==(Object o) => true;\n  bool operator <(Vec o) => true;\n  Vec operator *(int n) => this;\n}\nVec a(Vec v, Vec w) => v + w;\n"
        "Vec b(Vec v, Vec w) { return v - w; }\nint c(Vec v) => v[0];\nvoid d(Vec v) { v[0] = 1; }\nbool e(Vec v, Vec w) => v == w;\nbool f(Vec v, Vec w) => v < w;\nVec g(Vec v) => v * 2;\n"
        "void h(Vec v, Vec w) { v += w; }\nint p(int a, int b) => a + b;\n",
        "a -> Vec.+; b -> Vec.-; c -> Vec.[]; d -> Vec.[]=; e -> Vec.==; f -> Vec.<; g -> Vec.*; h -> Vec.+ ! p -> Vec.+",
    ),
    "ruby": (
        "//- a.rb\nclass Vec\n  def +(o) = self\n  def -(o) = self\n  def -@ = self\n  def [](i) = 1\n  def []=(i, v); end\n  def ==(o) = true\n  def <=>(o) = 0\n  def <<(o) = self\n  def *(o) = self\n"
        "  def !; true; end\n  def =~(o); end\n  def call; end\nend\ndef a; v = Vec.new; w = Vec.new; v + w; end\ndef b; v = Vec.new; v - v; end\ndef c; v = Vec.new; v[0]; end\ndef d; v = Vec.new; v[0] = 1; end\n"
        "def e; v = Vec.new; v == v; end\ndef f; v = Vec.new; v << 1; end\ndef g; v = Vec.new; v * 2; end\ndef h; v = Vec.new; v += v; end\ndef i; v = Vec.new; -v; end\ndef j; v = Vec.new; v <=> v; end\n"
        "def p; 1 + 2; end\nclass K\n  def initialize; @v = Vec.new; end\n  def a; @v + 1; end\n  def b; @v[0]; end\nend\n",
        "a -> Vec.+; b -> Vec.-; c -> Vec.[]; d -> Vec.[]=; e -> Vec.==; f -> Vec.<<; g -> Vec.*; h -> Vec.+; j -> Vec.<=>; K.a -> Vec.+; K.b -> Vec.[] ! p -> Vec.+",
    ),
    "swift": (
        "//- a.swift\nstruct Vec { var x: Int\n  static func + (a: Vec, b: Vec) -> Vec { a }\n  static func - (a: Vec, b: Vec) -> Vec { a }\n  static prefix func - (a: Vec) -> Vec { a }\n"
        "  static func == (a: Vec, b: Vec) -> Bool { true }\n  static func < (a: Vec, b: Vec) -> Bool { true }\n  static func += (a: inout Vec, b: Vec) {}\n  static func * (a: Vec, n: Int) -> Vec { a }\n"
        "  subscript(i: Int) -> Int { get { x } set { } }\n}\nfunc a(_ v: Vec, _ w: Vec) -> Vec { v + w }\nfunc b(_ v: Vec, _ w: Vec) -> Vec { return v - w }\nfunc c(_ v: Vec) -> Int { v[0] }\n"
        "func d(_ v: inout Vec) { v[0] = 1 }\nfunc e(_ v: Vec, _ w: Vec) -> Bool { v == w }\nfunc f(_ v: Vec, _ w: Vec) -> Bool { v < w }\nfunc g(_ v: Vec) -> Vec { v * 2 }\nfunc h(_ v: inout Vec, _ w: Vec) { v += w }\n"
        "func p(_ a: Int, _ b: Int) -> Int { a + b }\n",
        "a -> Vec.+; b -> Vec.-; c -> Vec.subscript; d -> Vec.subscript; e -> Vec.==; f -> Vec.<; g -> Vec.*; h -> Vec.+= ! p -> Vec.+",
    ),
    "python": (
        "//- a.py\nclass Vec:\n    def __add__(self, o): return self\n    def __sub__(self, o): return self\n    def __getitem__(self, i): return 1\n    def __setitem__(self, i, v): pass\n"
        "    def __delitem__(self, i): pass\n    def __eq__(self, o): return True\n    def __lt__(self, o): return True\n    def __iadd__(self, o): return self\n    def __mul__(self, n): return self\n"
        "    def __neg__(self): return self\n    def __contains__(self, x): return True\n    def __len__(self): return 1\n    def __bool__(self): return True\n    def __iter__(self): return iter([])\n"
        "    def __str__(self): return ''\n    def __call__(self): pass\n    def __enter__(self): return self\n    def __exit__(self, *a): pass\n    def __hash__(self): return 1\n    def __repr__(self): return ''\n"
        "    def __getattr__(self, n): return 1\ndef a(v: Vec, w: Vec): return v + w\ndef b(v: Vec, w: Vec): return v - w\ndef c(v: Vec): return v[0]\ndef d(v: Vec): v[0] = 1\ndef e(v: Vec, w: Vec): return v == w\n"
        "def f(v: Vec, w: Vec): return v < w\ndef g(v: Vec): return v * 2\ndef h(v: Vec, w: Vec): v += w\ndef i(v: Vec): return -v\ndef j(v: Vec): return 1 in v\ndef k(v: Vec): return len(v)\n"
        "def l(v: Vec):\n    for x in v: pass\ndef m(v: Vec): return str(v)\ndef n(v: Vec): v()\ndef o(v: Vec):\n    with v as q: pass\ndef q(v: Vec): del v[0]\ndef r(v: Vec): return f'{v}'\n"
        "def s(v: Vec):\n    if v: pass\ndef p(a: int, b: int): return a + b\n",
        "a -> Vec.__add__; b -> Vec.__sub__; c -> Vec.__getitem__; d -> Vec.__setitem__; e -> Vec.__eq__; f -> Vec.__lt__; g -> Vec.__mul__; h -> Vec.__iadd__; i -> Vec.__neg__; j -> Vec.__contains__; k -> Vec.__len__; l -> Vec.__iter__; m -> Vec.__str__; n -> Vec.__call__; q -> Vec.__delitem__ ! p -> Vec.__add__",
    ),
    "cpp": (
        "//- a.cpp\nstruct Vec { int x;\n  Vec operator+(const Vec& o) const { return o; }\n  int operator[](int i) const { return x; }\n  bool operator==(const Vec& o) const { return true; }\n"
        "  Vec& operator+=(const Vec& o) { return *this; }\n  int operator()(int a) { return a; }\n  Vec operator-() const { return *this; }\n  bool operator<(const Vec& o) const { return true; }\n"
        "};\nVec operator*(const Vec& v, int n) { return v; }\nstd::ostream& operator<<(std::ostream& s, const Vec& v) { return s; }\nVec a(Vec v, Vec w) { return v + w; }\nint b(Vec v) { return v[0]; }\n"
        "bool c(Vec v, Vec w) { return v == w; }\nvoid d(Vec v, Vec w) { v += w; }\nint e(Vec v) { return v(1); }\nVec f(Vec v) { return v * 2; }\nVec g(Vec v) { return -v; }\nbool h(Vec v, Vec w) { return v < w; }\n"
        "void i(Vec v) { std::cout << v; }\nint p(int a, int b) { return a + b; }\n",
        "a -> Vec.operator+; b -> Vec.operator[]; c -> Vec.operator==; d -> Vec.operator+=; e -> Vec.operator(); g -> Vec.operator-; h -> Vec.operator< ! p -> Vec.operator+",
    ),
    "rust": (
        "//- src/a.rs\npub struct Vec2 { x: u32 }\nimpl std::ops::Add for Vec2 { type Output = Vec2; fn add(self, o: Vec2) -> Vec2 { o } }\nimpl std::ops::Index<usize> for Vec2 { type Output = u32; fn index(&self, i: usize) -> &u32 { &self.x } }\n"
        "impl std::ops::AddAssign for Vec2 { fn add_assign(&mut self, o: Vec2) {} }\nimpl PartialEq for Vec2 { fn eq(&self, o: &Vec2) -> bool { true } }\nimpl std::ops::Neg for Vec2 { type Output = Vec2; fn neg(self) -> Vec2 { self } }\n"
        "impl std::ops::Deref for Vec2 { type Target = u32; fn deref(&self) -> &u32 { &self.x } }\nimpl Drop for Vec2 { fn drop(&mut self) {} }\nimpl PartialOrd for Vec2 { fn partial_cmp(&self, o: &Vec2) -> Option<Ordering> { None } }\n"
        "fn a(v: Vec2, w: Vec2) -> Vec2 { v + w }\nfn b(v: Vec2) -> u32 { v[0] }\nfn c(mut v: Vec2, w: Vec2) { v += w; }\nfn d(v: Vec2, w: Vec2) -> bool { v == w }\nfn e(v: Vec2) -> Vec2 { -v }\n"
        "fn p(a: u32, b: u32) -> u32 { a + b }\n",
        "a -> Vec2.add; b -> Vec2.index; c -> Vec2.add_assign; d -> Vec2.eq; e -> Vec2.neg ! p -> Vec2.add",
    ),
}
"""An operator, or brackets behind a value, run a method of it."""

ASSIGNED = {
    "ruby": (
        "//- a.rb\nclass S\n  def size=(v); end\n  def size; 1; end\nend\nclass U\n  def initialize; @s = S.new; end\n  def a; s = S.new; s.size = 1; end\n  def b; @s.size = 2; end\n  def c; @s.size += 1; end\n"
        "  def d; @s.size ||= 1; end\n  def e; self.own = 1; end\n  def own=(v); end\nend\n",
        "U.a -> S.size=; U.b -> S.size=; U.c -> S.size=; U.e -> U.own=",
    ),
    "typescript": (
        "//- a.ts\nexport class S { get size(): number { return 1 } set size(v: number) {} set only(v: number) {} }\nexport function a(s: S) { s.size = 1 }\nexport function b(s: S) { s.size += 1 }\n"
        "export function c(s: S) { s.only = 2 }\nexport function d(s: S) { s.size++ }\nclass K { s = new S(); e() { this.s.size = 1 } own() { this.val = 1 } set val(v: number) {} }\n",
        "a -> S.size; b -> S.size; c -> S.only; d -> S.size; K.e -> S.size; K.own -> K.val",
    ),
    "csharp": (
        "//- A.cs\nclass S { public int Size { get; set; } int f; public int Full { get { return f; } set { f = value; } } public int Init { get; init; } public static int St { get; set; } }\n"
        "class U { S s = new S();\n void A(S x) { x.Size = 1; } void B() { s.Full = 2; } void C(S x) { x.Size += 1; } S D() => new S { Size = 1, Init = 2 }; void E() { S.St = 1; } void F() { Own = 1; } int Own { get; set; } void G() { this.Own++; }\n"
        " S H() { return new() { Size = 3 }; } void I(S x) { var (a, b) = (x.Size, x.Full); } S J(S x) => x with { Size = 2 }; }\n",
        "U.A -> S.Size; U.B -> S.Full; U.C -> S.Size; U.D -> S.Size; U.D -> S.Init; U.E -> S.St; U.F -> U.Own; U.G -> U.Own; U.I -> S.Size",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nclass S { var size: Int = 1\n  get() = field\n  set(v) { field = v }\n var by: Int by Delegates.observable(1) { _, _, _ -> } }\nclass U { val s = S()\n fun a(x: S) { x.size = 1 }\n"
        " fun b() { s.size = 2 }\n fun c(x: S) { x.size += 1 }\n fun d(x: S) { x.size++ }\n fun e() { own = 1 }\n var own: Int = 0\n fun f() { S().apply { size = 1 } }\n fun g(x: S?) { x?.size = 1 } }\n",
        "U.a -> S.size; U.b -> S.size; U.c -> S.size; U.d -> S.size; U.e -> U.own; U.g -> S.size; U.f -> S.size",
    ),
    "swift": (
        "//- a.swift\nclass S { var size: Int { get { 1 } set { } }\n var watched: Int = 1 { didSet { } willSet { } } }\nclass U { let s = S()\n func a(_ x: S) { x.size = 1 }\n func b() { s.size = 2 }\n"
        " func c(_ x: S) { x.size += 1 }\n func d() { own = 1 }\n var own: Int { get { 1 } set { } }\n func e(_ x: S?) { x?.size = 1 }\n func f(_ x: S) { x.watched = 1 } }\n",
        "U.a -> S.size; U.b -> S.size; U.c -> S.size; U.d -> U.own; U.e -> S.size",
    ),
    "dart": (
        "//- a.dart\nclass S { int get size => 1; set size(int v) {} set only(int v) {} }\nvoid a(S s) { s.size = 1; }\nvoid b(S s) { s.size += 1; }\nvoid c(S s) { s.only = 1; }\nvoid d(S s) { s..size = 1; }\n"
        "class K { set own(int v) {} void e() { own = 1; } void f() { this.own = 2; } }\n",
        "a -> S.size; b -> S.size; c -> S.only; d -> S.size; K.e -> K.own; K.f -> K.own",
    ),
    "php": (
        "//- a.php\n<?php\nclass S { public int $size { get => 1; set { } } function __get($n) {} function __set($n, $v) {} }\nfunction a(S $s) { $s->size = 1; }\nfunction b(S $s) { $s->size += 1; }\n"
        "class K { public string $own { set => 1; } function e() { $this->own = 1; } }\n",
        "a -> S.size; b -> S.size; K.e -> K.own",
    ),
    "python": (
        "//- a.py\nclass S:\n    @property\n    def size(self): return 1\n    @size.setter\n    def size(self, v): pass\ndef a(s: S): s.size = 1\ndef b(s: S): s.size += 1\ndef c(s: S): del s.size\n"
        "def d(s: S): print(s.size)\n",
        "a -> S.size; b -> S.size; d -> S.size",
    ),
}
"""A property that is assigned to is used as well as one that is read."""

BY_SYNTAX = {
    "rust of several, by Self": (
        "//- src/a.rs\npub struct R; pub struct V;\nimpl From<u32> for R { fn from(n: u32) -> Self { R } }\nimpl From<V> for R { fn from(n: V) -> Self { R } }\nimpl R { fn a(v: V) -> Self { v.into() } fn b(n: u32) -> Self { let x: Self = n.into(); x } fn e(n: V) -> Self { Self { r: n.into() } } }\nfn c(v: V) -> R { v.into() }\n",
        "! R.a -> R.from; R.b -> R.from; c -> R.from",
    ),
    "ruby, in patterns": (
        "//- a.rb\nclass A\n  def t; 1; end\n  def e; case 1 in {a: t} then t end; end\n  def f; case 1 in [t, *] then t end; end\n  def g; case 1 in Integer => t then t end; end\n  def n; {t:}; end\n  def o; foo(t:); end\n  def p; t = 1; {t:}; end\nend\n",
        "A.n -> A.t; A.o -> A.t ! A.e -> A.t; A.f -> A.t; A.g -> A.t; A.p -> A.t",
    ),
    "gdscript loaded": (
        '//- foo.gd\nextends Node\nfunc bar(): pass\nstatic func mk(): pass\n//- use.gd\nextends Node\nconst Foo = preload("res://foo.gd")\nvar held = Foo.new()\nfunc a():\n'
        '\tFoo.new().bar()\nfunc b():\n\tvar f = Foo.new()\n\tf.bar()\nfunc c():\n\theld.bar()\nfunc d():\n\tFoo.mk()\nfunc e():\n\tvar F = load("res://foo.gd")\n\tvar f = F.new()\n'
        '\tf.bar()\nfunc g():\n\tpreload("res://foo.gd").new().bar()\nfunc h(f: Foo):\n\tf.bar()\n//- other.gd\nextends Node\nfunc bar(): pass\n',
        "a -> bar; b -> bar; c -> bar; d -> mk; e -> bar; g -> bar; h -> bar",
    ),
    "gdscript by path": (
        '//- scripts/base.gd\nextends Node\nfunc run(): pass\nfunc own(): pass\n//- scripts/sub.gd\nextends "res://scripts/base.gd"\nfunc own(): pass\nfunc go():\n\trun()\n'
        '\tsuper.own()\n\tself.run()\n//- scripts/x.gd\nconst Base := preload("base.gd")\nclass Inner:\n\tfunc hi(): pass\nfunc go2():\n\tvar b := Base.new()\n\tb.run()\n\tInner.new().hi()\n',
        "go -> run; go2 -> run; go2 -> Inner.hi",
    ),
    "verilog": (
        "//- alu.sv\nmodule alu #(parameter W = 8)(input logic [W-1:0] a, output logic [W-1:0] y);\n  assign y = a;\nendmodule\n//- top.sv\nmodule top(input logic clk);\n"
        "  logic [7:0] x, z;\n  alu #(.W(8)) u_alu (.a(x), .y(z));\n  alu u2(.a(x), .y(z));\n  adder u3 (x, z);\n  genvar i;\n  generate for (i=0;i<4;i=i+1) begin : g\n"
        "    alu u_g (\n      .a(x), .y(z));\n  end endgenerate\nendmodule\n//- adder.v\nmodule adder(a, y);\n  input a; output y;\n  function integer f; input x; f = x; endfunction\n"
        "  assign y = f(a);\nendmodule\n",
        "top -> alu; top -> adder",
    ),
    "rust": (
        "//- src/a.rs\nuse std::str::FromStr;\npub struct Foo;\nimpl From<u32> for Foo { fn from(n: u32) -> Self { Foo } }\nimpl FromStr for Foo { type Err = (); fn from_str(s: &str) -> Result<Self, ()> { Ok(Foo) } }\n"
        "impl TryFrom<u64> for Foo { type Error = (); fn try_from(n: u64) -> Result<Self, ()> { Ok(Foo) } }\nimpl std::fmt::Display for Foo { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { Ok(()) } }\n"
        "impl Iterator for Foo { type Item = u32; fn next(&mut self) -> Option<u32> { None } }\nfn a() { let x: Foo = 1u32.into(); }\nfn b() -> Foo { 1u32.into() }\n"
        'fn c() { let x: Foo = "a".parse().unwrap(); }\nfn d() { let x = "a".parse::<Foo>(); }\nfn e() { let x: Foo = 1u64.try_into().unwrap(); }\nfn f() { let x = Foo::from(1); }\n'
        'fn g() { let x = Foo::from_str("a"); }\nfn h(f: Foo) { for x in f {} }\nfn i(n: u32) { take(n.into()) }\nfn take(f: Foo) {}\nfn j() -> Result<Foo, ()> { "a".parse() }\n'
        'fn k() -> Hold { Hold { foo: 1u32.into() } }\npub struct Hold { foo: Foo }\nfn l() { let x = Into::<Foo>::into(1u32); }\nfn m(f: Foo) { println!("{}", f); }\n'
        'fn n(f: Foo) -> String { f.to_string() }\nfn o() { let x: String = "a".into(); let y: u32 = "1".parse().unwrap(); }\n',
        "a -> Foo.from; b -> Foo.from; c -> Foo.from_str; d -> Foo.from_str; e -> Foo.try_from; f -> Foo.from; g -> Foo.from_str; j -> Foo.from_str; k -> Foo.from; n -> Foo.fmt ! o -> Foo.from; o -> Foo.from_str",
    ),
    "rust of several": (
        "//- src/a.rs\npub struct Foo;\nimpl From<u32> for Foo { fn from(n: u32) -> Self { Foo } }\nimpl From<u8> for Foo { fn from(n: u8) -> Self { Foo } }\n"
        "fn made() -> Foo { Foo }\nfn a() { let x: Foo = 1u32.into(); made(); }\n",
        "a -> made ! a -> Foo.from",
    ),
    "cpp elsewhere": (
        '//- lib.h\nstruct Lib { enum class Kind { A }; using big = long long; };\nstruct Act { int x; };\n//- one.cpp\n#include "lib.h"\nstruct One { Lib::big v; };\n'
        "static bool operator==(const One& a, Lib::big n) { return a.v == n; }\nbool one(One a, Lib::big n) { return a == n; }\n"
        '//- two.cpp\n#include "lib.h"\nbool two(Lib::big a, Lib lib) { return lib == a; }\n',
        "one -> operator== ! two -> operator==",
    ),
    "php called texts": (
        "//- a.php\n<?php\nfunction h($a) {}\nclass A { static function s($x) {} function m() {}\n function own() { $f = 'h'; $f(1); $g = 'A::s'; $g(1); $m = 'm'; $this->$m(); call_user_func('A::s', 1); call_user_func(['A', 's'], 1); call_user_func_array('h', [1]); call_user_func([$this, 'm']); $c = [$this, 'm']; $c(); } }\n"
        "function one() { $f = 'h'; $f(1); }\nfunction two() { array_map('A::s', [1]); }\nfunction three() { $n = 'A'; $o = new $n(); $o->m(); $n::s(1); }\nfunction four() { usort($x, [A::class, 's']); }\n"
        "function five() { $f = \"h\"; return array_map($f, []); }\nconst CB = 'h';\nfunction six() { is_callable('h'); spl_autoload_register('h'); register_shutdown_function('h'); set_error_handler(\"h\"); }\n",
        "one -> h; A.own -> h; A.own -> A.s; A.own -> A.m; two -> A.s; three -> A.m; three -> A.s; four -> A.s; six -> h",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nclass V(val n: Int) : Comparable<V> {\n  override fun compareTo(other: V): Int = 0\n  override fun equals(other: Any?): Boolean = true\n"
        "  operator fun iterator(): Iterator<Int> = TODO()\n  operator fun component1(): Int = 1\n  operator fun component2(): Int = 1\n  operator fun inc(): V = this\n"
        "  operator fun rangeTo(o: V): IntRange = 1..2\n  operator fun not(): Boolean = true\n  operator fun get(i: Int) = 1\n  operator fun invoke(x: Int) = 1\n  operator fun getValue(a: Any?, p: Any?) = 1\n"
        "  operator fun timesAssign(n: Int) {}\n  infix fun shl2(n: Int) = 1\n}\noperator fun V.plus(o: V): V = o\nfun a(v: V, w: V) = v < w\nfun b(v: V, w: V) = v == w\n"
        "fun c(v: V) { for (x in v) { } }\nfun d(v: V) { val (x, y) = v }\nfun e(v0: V) { var v = v0; v++ }\nfun f(v: V, w: V) = v..w\nfun g(v: V) = !v\nfun h(v: V, w: V) = v + w\n"
        "fun i(v: V) { val x by v }\nfun j(v: V) { v *= 2 }\nfun k(v: V, w: V) = v != w\nfun l(xs: List<V>) { xs.map { (p, q) -> p } }\nfun m(v: V) = v shl2 3\nfun n(v: V?) { if (v == null) return }\n",
        "a -> V.compareTo; b -> V.equals; c -> V.iterator; d -> V.component1; d -> V.component2; e -> V.inc; f -> V.rangeTo; g -> V.not; h -> V.plus; i -> V.getValue; j -> V.timesAssign; k -> V.equals; m -> V.shl2 ! n -> V.equals",
    ),
    "scala": (
        "//- a.scala\nclass V {\n  def apply(i: Int): Int = 1\n  def update(i: Int, x: Int): Unit = {}\n  def +(o: V): V = o\n  def unary_- : V = this\n  def ::(x: Int): V = this\n"
        "  def foreach[U](f: Int => U): Unit = {}\n  def map[U](f: Int => U): V = this\n  def flatMap[U](f: Int => V): V = this\n  def withFilter(f: Int => Boolean): V = this\n"
        "  def size_=(n: Int): Unit = {}\n  def size: Int = 1\n  def <(o: V): Boolean = true\n  def equals(o: V): Boolean = true\n  def +=(o: V): Unit = {}\n}\nobject U {\n"
        "  def a(v: V) = v(0)\n  def b(v: V) = { v(0) = 1 }\n  def c(v: V, w: V) = v + w\n  def d(v: V) = -v\n  def e(v: V) = 1 :: v\n  def f(v: V) = for (x <- v) println(x)\n"
        "  def g(v: V) = for (x <- v) yield x\n  def h(v: V) = { v.size = 3 }\n  def i(v: V, w: V) = v < w\n  def j(v: V) = for { x <- v; y <- v } yield y\n  def k(v: V) = for (x <- v if x > 1) yield x\n"
        "  def l(v: V, w: V) = v += w\n}\n",
        "U.a -> V.apply; U.b -> V.update; U.c -> V.+; U.d -> V.unary_-; U.e -> V.::; U.f -> V.foreach; U.g -> V.map; U.h -> V.size_=; U.i -> V.<; U.j -> V.flatMap; U.k -> V.withFilter; U.l -> V.+=",
    ),
    "lua": (
        "//- a.lua\nlocal Vec = {}\nVec.__index = Vec\nfunction Vec.new(x) return setmetatable({x=x}, Vec) end\nfunction Vec.__add(a, b) return a end\nfunction Vec.__eq(a, b) return true end\n"
        'function Vec:__call(x) return x end\nfunction Vec.__tostring(a) return "" end\nfunction Vec:len() return 1 end\nVec.__lt = function(a, b) return true end\n'
        "function Vec.__len(a) return 1 end\nfunction Vec.__unm(a) return a end\nfunction Vec.__concat(a, b) return a end\nlocal function a() local v = Vec.new(1); local w = Vec.new(2); return v + w end\n"
        "local function b() local v = Vec.new(1); return v == Vec.new(2) end\nlocal function c() local v = Vec.new(1); return v(3) end\nlocal function d() local v = Vec.new(1); return tostring(v) end\n"
        'local function e() local v = Vec.new(1); return #v end\nlocal function f() local v = Vec.new(1); return -v end\nlocal function g() local v = Vec.new(1); return v .. "a" end\n'
        "local function h() local v = Vec.new(1); return v:len() end\nlocal function i() local v = Vec.new(1); return v < v end\n",
        "a -> Vec.__add; b -> Vec.__eq; d -> Vec.__tostring; e -> Vec.__len; f -> Vec.__unm; g -> Vec.__concat; h -> Vec.len; i -> Vec.__lt",
    ),
    "cpp": (
        "//- a.cpp\nstruct Vec { int x; };\nstruct Other { int x; };\nVec operator*(const Vec& v, int n) { return v; }\nstd::ostream& operator<<(std::ostream& s, const Vec& v) { return s; }\n"
        'bool operator==(const Vec& a, const Vec& b) { return true; }\nVec operator-(const Vec& v) { return v; }\nVec operator"" _v(unsigned long long n) { return Vec{}; }\n'
        "namespace ns { struct W {}; W operator+(W a, W b) { return a; } }\nVec f(Vec v) { return v * 2; }\nvoid i(Vec v) { std::cout << v; }\nbool j(Vec a, Vec b) { return a == b; }\n"
        "Vec k(Vec v) { return -v; }\nVec l() { return 3_v; }\nns::W m(ns::W a, ns::W b) { return a + b; }\nint p(int a, int b) { return a * b; }\nvoid q(int a) { std::cout << a; }\n"
        'void r(int x) { std::cout << "v" << Vec{1} << x; }\nvoid s() { Vec v; std::cout << "a" << v; }\nbool t(Other a, Other b) { return a == b; }\n',
        "f -> operator*; i -> operator<<; j -> operator==; k -> operator-; m -> ns.operator+; r -> operator<<; s -> operator<< ! p -> operator*; q -> operator<<; t -> operator==",
    ),
    "python": (
        "//- a.py\nclass V:\n    def __enter__(self): return self\n    def __exit__(self, *a): pass\n    def __iter__(self): return self\n    def __next__(self): return 1\n"
        "    def __len__(self): return 1\n    async def __aenter__(self): return self\n    async def __aexit__(self, *a): pass\n    def __aiter__(self): return self\n"
        "    async def __anext__(self): return 1\n    def __await__(self): yield\n    def __bool__(self): return True\n    def __format__(self, s): return ''\n    def __int__(self): return 1\n"
        "    def __float__(self): return 1.\n    def __index__(self): return 1\n    def __abs__(self): return 1\n    def __contains__(self, x): return True\n    def __reversed__(self): return self\n"
        "    def __getattr__(self, n): return 1\n    def __str__(self): return ''\n    def __divmod__(self, o): return 1\n    def __round__(self, n=0): return 1\n    def __missing__(self, k): return 1\n"
        "def a(v: V):\n    with v: pass\ndef b(v: V):\n    with v as x: pass\ndef c():\n    with V() as x: pass\ndef d(v: V):\n    for x in v: pass\ndef e(v: V): return [x for x in v]\n"
        "def f(v: V): return len(v)\nasync def g(v: V):\n    async with v: pass\nasync def h(v: V):\n    async for x in v: pass\nasync def i(v: V): await v\ndef j(v: V): return list(v)\n"
        'def k(v: V): x, y = v\ndef l(v: V): return int(v)\ndef m(v: V): return abs(v)\ndef n(v: V): return f"{v:>3}"\ndef o(v: V): return not v\ndef p(v: V):\n    while v: pass\n'
        "def q(v: V): return v and 1\ndef r(v: V): return print(*v)\ndef s(v: V): return reversed(v)\ndef t(v: V): yield from v\ndef u(v: V): return sum(v)\ndef w(v: V): print(v)\n"
        "def x(v: V): return round(v)\ndef y(v: V):\n    if len(v) > 3: pass\n    with open('x') as f, v as g: pass\n",
        "a -> V.__enter__; a -> V.__exit__; b -> V.__enter__; b -> V.__exit__; c -> V.__enter__; c -> V.__exit__; d -> V.__iter__; d -> V.__next__; e -> V.__iter__; f -> V.__len__; g -> V.__aenter__; g -> V.__aexit__; h -> V.__aiter__; h -> V.__anext__; i -> V.__await__; j -> V.__iter__; k -> V.__iter__; l -> V.__int__; m -> V.__abs__; s -> V.__reversed__; t -> V.__iter__; u -> V.__iter__; x -> V.__round__; y -> V.__len__; y -> V.__enter__",
    ),
    "java": (
        "//- A.java\nclass Base { Base(int x) {} void run() {} }\nclass Foo extends Base { Foo(int x) { check(x); int y = x + 1; super(y); after(); } static void check(int x) {} void after() {} void run() {} void go() {} }\n"
        "class U {\n void a(Object o) { if (o instanceof Foo) { ((Foo) o).go(); } }\n void b(Object o) { if (o instanceof Foo) { Foo f = (Foo) o; f.go(); } }\n void c(Object o) { if (!(o instanceof Foo)) return; Foo f = (Foo) o; f.go(); }\n"
        " void d(Object o) { if (o instanceof Foo f && f.hashCode() > 1) f.go(); }\n void e(Object o) { switch (o) { case Foo f -> f.go(); default -> {} } }\n void f(Object o) { var f = (Foo) o; f.go(); }\n"
        " void g(Object o) { final Foo f = Foo.class.cast(o); f.go(); }\n}\n//- B.java\nimport module java.base;\nimport static java.lang.Math.*;\nclass B { void go() { new Foo(1).go(); } }\n",
        "Foo.Foo -> Base.Base; Foo.Foo -> Foo.check; Foo.Foo -> Foo.after; U.a -> Foo.go; U.b -> Foo.go; U.c -> Foo.go; U.d -> Foo.go; U.e -> Foo.go; U.f -> Foo.go; U.g -> Foo.go; B.go -> Foo.go",
    ),
    "kotlin on one line": (
        "//- a.kt\npackage k\nsealed interface R { data class Ok(val v: Int) : R; data object None : R; class Err(val e: String) : R { fun msg() = e } }\nsealed class S { object A : S() ; class B : S() { fun b() = 1 } }\n"
        "fun a(r: R) = when (r) { is R.Ok -> r.v; is R.Err -> r.msg(); R.None -> 1 }\nfun b(s: S.B) = s.b()\n",
        "a -> R.Err.msg; b -> S.B.b",
    ),
    "csharp": (
        "//- a.cs\nusing System;\nclass V : IDisposable { public IEnumerator<int> GetEnumerator() => null; public void Dispose() {} public void Deconstruct(out int a, out int b) { a = b = 1; } public static V operator ++(V v) => v; public static bool operator !(V v) => true; public static V operator *(int a, V b) => b; }\n"
        "class U { void A(V v) { foreach (var x in v) {} } void B() { using (var v = new V()) {} } void C() { using var v = new V(); } void D(V v) { var (a, b) = v; } void E(V v) { v++; } bool F(V v) => !v; }\n",
        "U.A -> V.GetEnumerator; U.B -> V.Dispose; U.C -> V.Dispose; U.D -> V.Deconstruct; U.E -> V.++",
    ),
    "php": (
        "//- a.php\n<?php\nclass V implements ArrayAccess, Countable, IteratorAggregate {\n function offsetGet($i) {} function offsetSet($i, $v) {} function offsetUnset($i) {} function count() {} function getIterator() {} function __clone() {} function __toString() { return ''; } function jsonSerialize() {} }\n"
        "function a(V $v) { return $v[0]; }\nfunction b(V $v) { $v[0] = 1; }\nfunction c(V $v) { foreach ($v as $x) {} }\nfunction d(V $v) { return count($v); }\nfunction e(V $v) { return (string) $v; }\n"
        'function f(V $v) { return "x $v"; }\nfunction g(V $v) { return clone $v; }\nfunction h(V $v) { unset($v[0]); }\nfunction i(array $v) { return count($v) . $v[0]; }\n',
        "a -> V.offsetGet; b -> V.offsetSet; c -> V.getIterator; d -> V.count; e -> V.__toString; f -> V.__toString; g -> V.__clone; h -> V.offsetUnset ! i -> V.count; i -> V.offsetGet",
    ),
    "several": (
        "//- a/V.java\nclass V implements Iterable<Integer> { public Iterator<Integer> iterator() { return null; } }\nclass VU { void a(V v) { for (int x : v) {} } void b(int[] v) { for (int x : v) {} } }\n"
        '//- b/v.rb\nclass RV\n  def each; end\n  def to_s; ""; end\n  def +@; self; end\n  def !; true; end\nend\nclass RU\n  def a; v = RV.new; for x in v do end; end\n'
        '  def b; v = RV.new; "#{v}"; end\n  def c; v = RV.new; +v; end\nend\n//- c/v.dart\nclass DV { Iterator<int> get iterator => throw 1; }\nvoid da(DV v) { for (var x in v) {} }\n'
        "//- d/v.swift\nstruct SV { func makeIterator() -> Int { 1 } static prefix func - (v: SV) -> SV { v } }\nfunc == (a: SV, b: SV) -> Bool { true }\ninfix operator **\n"
        "func ** (a: SV, b: Int) -> SV { a }\nfunc sa(_ v: SV) { for x in v {} }\nfunc sb(_ v: SV) -> SV { -v }\nfunc sc(_ v: SV, _ w: SV) -> Bool { v == w }\nfunc sd(_ v: SV) -> SV { v ** 2 }\n"
        "func se(_ v: Int, _ w: Int) -> Bool { v == w }\n//- e/v.rs\npub struct XV;\nimpl PartialOrd for XV { fn partial_cmp(&self, o: &XV) -> Option<Ordering> { None } }\n"
        "impl IntoIterator for XV { type Item = u32; fn into_iter(self) -> u32 { 1 } }\nimpl std::ops::Not for XV { fn not(self) -> XV { self } }\nfn xa(v: XV, w: XV) -> bool { v < w }\n"
        "fn xb(v: XV) { for x in v {} }\nfn xc(v: XV) -> XV { !v }\n//- f/v.cpp\nstruct CV { int* begin() { return 0; } int* end() { return 0; } CV& operator++() { return *this; } bool operator!() { return true; } };\n"
        "void ca(CV v) { for (auto x : v) {} }\nvoid cb(CV v) { ++v; }\nbool cc(CV v) { return !v; }\n",
        "VU.a -> V.iterator; RU.a -> RV.each; RU.b -> RV.to_s; RU.c -> RV.+@; da -> DV.iterator; sa -> SV.makeIterator; sb -> SV.-; sc -> ==; sd -> **; xa -> XV.partial_cmp; xb -> XV.into_iter; xc -> XV.not; ca -> CV.begin; ca -> CV.end; cb -> CV.operator++ ! VU.b -> V.iterator; se -> ==",
    ),
    "csharp branches": (
        "//- A.cs\nclass A {\n  public static string Full(string a)\n#if NETFX\n    => Helper.Two(a);\n#elif NET8\n    => Helper.Three(a);\n#else\n    => throw new PlatformException(Helper.One(a));\n"
        "#endif\n  int After() => N(1);\n#if X\n  int N(int x) => 1;\n#else\n  int N(int x) => 2;\n#endif\n}\nstatic class Helper { public static string One(string a) => a; public static string Two(string a) => a; public static string Three(string a) => a; }\n",
        "A.After -> A.N; A.Full -> Helper.One; A.Full -> Helper.Two; A.Full -> Helper.Three",
    ),
    "outlined": (
        "//- top.vhd\nentity alu is\n  port (a : in std_logic);\nend entity;\narchitecture rtl of alu is\nbegin\nend architecture;\n//- use.vhd\nentity top is\nend entity;\n"
        "architecture rtl of top is\nbegin\n  u1 : entity work.alu\n    port map (a => b);\nend architecture;\n//- a.f90\nmodule geometry\ncontains\n  subroutine draw\n    print *, 1\n"
        "  end subroutine draw\nend module geometry\nprogram main\n  use geometry\n  call draw\nend program main\n//- Shapes.fs\nmodule Shapes\nlet area x = x * x\nlet scale k x = k * x\n"
        "//- Use.fs\nmodule Use\nlet total xs =\n    List.sumBy Shapes.area xs\nlet one x = Shapes.scale 2 x\n",
        "main -> geometry; main -> geometry.draw; total -> area; one -> scale",
    ),
}
"""What runs, or is made, where no call of its name is written."""

KINDS = {
    "by syntax": BY_SYNTAX,
    "assigned": ASSIGNED,
    "operators": OPERATORS,
    "aliased": ALIASED,
    "narrowed": NARROWED,
    "type parameters": TYPE_PARAMETERS,
    "expected": EXPECTED,
    "run by marks": RUN_BY_MARKS,
    "forms": FORMS,
    "given": GIVEN,
    "implied": IMPLIED,
    "told types": TOLD_TYPES,
    "infix": INFIX,
    "options": OPTIONS,
    "held": HELD,
    "held later": HELD_LATER,
    "compatible": COMPATIBLE,
    "provided": PROVIDED,
    "events": EVENTS,
    "made outside": MADE_OUTSIDE,
    "made of a variable": MADE_OF_A_VARIABLE,
    "extending": EXTENDING,
    "outside": OUTSIDE,
    "fields": FIELDS,
    "read": READ,
    "handed": HANDED,
    "hidden": HIDDEN,
    "container": CONTAINER,
    "file modules": FILE_MODULES,
    "bare methods": BARE_METHODS,
    "chained": CHAINED,
}
TOLD = {
    "operators": "operators and brackets that run a method",
    "file modules": "the file that is named or imported, of several that define a name",
    "bare methods": "methods that are called as functions",
    "chained": "a member of what a call or a message gives",
    "handed": "a function that is handed on by its name",
    "held": "a call of what a variable of a module holds",
    "held later": "a call of what another function has put into a field",
    "read": "properties, getters and functions that are read",
    "hidden": "a variable that hides a function of its name",
    "fields": "a call on a field with a declared type",
    "container": "what implements an interface, whoever makes it",
    "events": "handlers of what is published",
    "provided": "what provides a test with data",
    "outside": "no edge to what is plainly outside, by its qualifier",
    "made outside": "none from an instance of a type outside",
    "extending": "members that a class has for another type",
    "given": "what a function without a name, a loop or a pattern takes out of a collection",
    "implied": "the same by a parameter that is not written: `it`, `$0`, `_`",
    "told types": "types that a comment tells",
    "infix": "functions that stand between their arguments",
    "compatible": "names that are equal in another form of Unicode",
}
"""The kinds as docs/LANGUAGES.md tells them."""
ROWS = [
    pytest.param(text, said, id=f"{kind} {language}")
    for kind, languages in KINDS.items()
    for language, (text, said) in languages.items()
]
ROWS += [
    pytest.param(_RUBY.format(body), "A.f -> A.t", id=f"a word alone: {body!r}")
    for body in RUBY_BODIES
]
ROWS += [
    pytest.param(_RUBY.format(body), "! A.f -> A.t", id=f"a variable: {body!r}")
    for body in RUBY_VARIABLES
]


def edges(root: Path, *, with_types: bool = False) -> set[str]:
    """`user -> used` of all edges, without those to types unless asked for."""
    with index(root).snapshot() as snapshot:
        found = [e for e in snapshot.graph.edges() if with_types or e.kind != ReferenceKind.TYPE]
        ids = {edge.source for edge in found} | {edge.target for edge in found}
        names = {
            record.id: record.qualified_name or record.path
            for record in snapshot.symbols.by_id(sorted(ids))
        }
    return {f"{names[edge.source]} -> {names[edge.target]}" for edge in found}


@pytest.mark.parametrize(("text", "said"), ROWS)
def test_a_construct_has_its_edges(project: Callable[[str], Path], text: str, said: str):
    wanted, _, unwanted = (part.strip(" ;") for part in said.partition("!"))
    found = edges(project(text))
    assert {each.strip() for each in wanted.split(";") if each} <= found
    assert not {each.strip() for each in unwanted.split(";") if each} & found


RENAMED = {
    "typescript": (
        "//- types.ts\nexport type Level = 'a' | 'b'\nexport interface Shape { a: number }\nexport enum Color { Red }\n"
        "//- use.ts\nimport type { Level as L, Shape as S } from './types'\nimport { Color as C } from './types'\n"
        "export function one(l: L): void {}\nexport function two(s: S): void {}\nexport function four() { return C.Red }\n"
        "export function free<T>(t: T): T { return t }\n",
        "one -> Level; two -> Shape; four -> Color",
    ),
    "java": (
        "//- q/B.java\npackage q;\npublic class B {}\n"
        "//- p/A.java\npackage p;\nimport q.B;\nclass A { void f(B b) {} <T> void g(T t) {} }\n",
        "A.f -> B",
    ),
    "rust": (
        "//- src/lib.rs\nmod a;\nuse crate::a::Shape as S;\nfn f(s: S) {}\nfn g<T>(t: T) {}\n//- src/a.rs\npub struct Shape;\n",
        "f -> Shape",
    ),
}


@pytest.mark.parametrize(("text", "said"), RENAMED.values(), ids=RENAMED)
def test_a_type_under_another_name_is_used(project: Callable[[str], Path], text: str, said: str):
    assert {each.strip() for each in said.split(";")} <= edges(project(text), with_types=True)
