"""What `value.name` may stand for: members of classes and modules, own, inherited and assigned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.expressions import is_type
from satchel.indexer.callgraph.tables import namespace_imports
from satchel.indexer.callgraph.tables.bindings import SEPARATORS, Definition, chosen, parameters
from satchel.indexer.callgraph.tables.file_table import CLASS_LIKE
from satchel.indexer.callgraph.tables.import_paths import BY_PATH
from satchel.indexer.callgraph.values.elements import has_key
from satchel.indexer.callgraph.values.solver import EMPTY, Question, Value, Values
from satchel.indexer.languages.detect import LANGUAGES
from satchel.store.model import Import, ReferenceKind, SymbolKind

if TYPE_CHECKING:
    from satchel.indexer.callgraph.values.evaluate import Evaluator

OUT: Values = frozenset({("out", 0, 0, 0)})
_HOLDS = CLASS_LIKE | {SymbolKind.MODULE, SymbolKind.TYPE}
_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD})
_OF_CLASS = frozenset({"__class__", "constructor", "class"})
CLASS_NAMES = frozenset({"cls", "Self", "static"})
_MAKES = "new"
"""What Ruby calls the making of an instance; no class defines it."""
MEANT_BY_LANGUAGES = (
    _OF_CLASS | CLASS_NAMES | {_MAKES} | {n for row in LANGUAGES for n in row.self_names}
)
"""Names that mean something in the tree though nothing in it is called so."""


class Members:
    """Lookups of members for an evaluator, which answers what the found ones hold."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._tables = evaluator.tables
        self._classes = evaluator.classes
        self._ask = evaluator.solver.ask

    def of(self, value: Value, name: str) -> Values:
        """What a member of a value may stand for."""
        kind, target, extra, rule = value
        if kind == "inst":
            if name in _OF_CLASS:
                return frozenset({("def", target, 0, rule)})
            return _weakened(self._ask(("attr", target, name)), rule)
        if kind == "def":
            return self._of_definition(value, name)
        if kind == "super":
            return _weakened(self._ask(("super", target, name)), rule)
        if kind == "mod":
            return _weakened(self._ask(("global", target, name)), max(rule, rules.IMPORTED))
        if kind == "box" and has_key(extra[1], name):
            return self._evaluator.elements.inside(value, ("text", f"'{name}"))
        if kind == "path":
            return self._path(target, f"{extra}.{name}")
        return frozenset({value}) if kind in ("any", "out") else EMPTY

    def _of_definition(self, value: Value, name: str) -> Values:
        definition = self._tables.definition(value[1])
        if definition.kind in _HOLDS:
            if name == _MAKES and definition.place.family == "ruby":
                return frozenset({value})
            return _weakened(self._ask(("static", definition.id, name)), value[3])
        found = self._classes.members(definition, name)
        return frozenset(("def", d.id, 0, value[3]) for d in found if d.kind not in _VALUES)

    def answer(self, question: Question) -> Values:
        """The member questions of the solver."""
        kind, class_id, name = question
        holder = self._tables.definition(class_id)
        order, complete = self._classes.order(holder)
        if kind == "static":
            found = self._static(holder, order, name)
        else:
            found = self._attribute(holder, order[1:] if kind == "super" else order, name)
        if found is None and kind == "attr":
            found = self._of_heirs(holder, name)
        if found is None:
            return EMPTY if complete else OUT
        return found

    def _attribute(
        self, holder: Definition, order: Iterable[Definition], name: str
    ) -> Values | None:
        """A member through an instance: the first method, and all that was assigned."""
        found: set[Value] = set()
        known = False
        has_method = False
        for place in order:
            rule = rules.PLAIN if place.id == holder.id else rules.INHERITED
            own = self._classes.members(place, name) if not has_method else ()
            methods = chosen([d for d in own if d.kind not in _VALUES])
            for method in methods:
                found |= _weakened(self._through_instance(method, holder), rule)
            has_method = has_method or bool(methods)
            assigned, is_assigned = self._assigned(place, name, holder)
            found |= _weakened(assigned, rule)
            known = known or bool(own) or is_assigned
        return frozenset(found) if known else None

    def _through_instance(self, method: Definition, holder: Definition) -> Values:
        if method.kind in _HOLDS:
            return frozenset({("def", method.id, 0, rules.PLAIN)})
        if method.kind == SymbolKind.PROPERTY:
            return self._evaluator.result(("bound", method.id, holder.id, rules.PLAIN))
        return frozenset({("bound", method.id, holder.id, rules.PLAIN)})

    def _assigned(self, place: Definition, name: str, holder: Definition) -> tuple[Values, bool]:
        """What methods of a class, or its body, assign to an attribute."""
        table = self._tables.read(place.file_id, place.id)
        flows = [(place.id, e) for e in table.flows.get((place.id, name), ())]
        flows += table.attributes.get((place.id, name), ())
        typed = [flow for flow in flows if is_type(flow[1])]
        found: set[Value] = set()
        for scope, expression in typed or flows:
            held = self._evaluator.of(place.file_id, scope, expression)
            own = rules.DECLARED if is_type(expression) else rules.ASSIGNED
            for kind, target, extra, rule in held:
                weakest = max(rule, own)
                is_self = kind == "self"
                found.add(
                    ("inst", holder.id, 0, weakest) if is_self else (kind, target, extra, weakest)
                )
        return frozenset(found), bool(flows)

    def _of_heirs(self, holder: Definition, name: str) -> Values | None:
        """A member that only derived classes have, as where a base class calls what they define."""
        found: set[Value] = set()
        known = False
        for heir in self._classes.heirs(holder):
            held = self._attribute(heir, (heir,), name)
            if held is not None:
                known = True
                found |= _weakened(held, rules.HEIR)
        return frozenset(found) if known else None

    def _static(self, holder: Definition, order: Iterable[Definition], name: str) -> Values | None:
        """A member through the class itself."""
        for place in order:
            rule = rules.PLAIN if place.id == holder.id else rules.INHERITED
            own = self._classes.members(place, name)
            found: set[Value] = set()
            for definition in chosen(own):
                found |= _weakened(self._through_class(definition, holder), rule)
            table = self._tables.read(place.file_id, place.id)
            for expression in table.flows.get((place.id, name), ()):
                found |= _weakened(
                    self._evaluator.of(place.file_id, place.id, expression), rules.ASSIGNED
                )
            if own or (place.id, name) in table.flows:
                return frozenset(found)
        return None

    def _through_class(self, definition: Definition, holder: Definition) -> Values:
        if definition.kind in _VALUES:
            return EMPTY
        takes_self = parameters(definition)[:1] == ("self",)
        if definition.kind in _HOLDS or takes_self or holder.kind == SymbolKind.MODULE:
            return frozenset({("def", definition.id, 0, rules.PLAIN)})
        return frozenset({("bound", definition.id, holder.id, rules.PLAIN)})

    def implicit(self, holder: Definition, name: str) -> Values | None:
        """A bare name inside a class, where a language lets it mean a member."""
        real = self._classes.around(holder.file_id, holder.id) or holder
        order, _ = self._classes.order(real)
        for place in order:
            own = self._classes.members(place, name)
            # A class and its constructor share a name: it is the class that is called.
            is_member = any(d.kind != SymbolKind.CONSTRUCTOR for d in own)
            if is_member or self._assigned_at_all(place, name):
                return self._ask(("attr", real.id, name))
        return None

    def _assigned_at_all(self, place: Definition, name: str) -> bool:
        table = self._tables.read(place.file_id, place.id)
        return (place.id, name) in table.flows or (place.id, name) in table.attributes

    def imported(self, file_id: int, name: str) -> Values:
        """What imports bring under a name; what is not in the tree is said to be out."""
        scope = self._tables.imports(file_id)
        found: set[Value] | Values = set()
        bindings = scope.by_local_name.get(name, ())
        for binding in bindings:
            found |= self._binding(file_id, binding)
        if not found and scope.place.language == "python":
            found |= self._path(file_id, name)
        for binding in scope.stars if not bindings else ():
            for module in self._tables.modules(scope.place, binding.module):
                found |= self._ask(("global", module, name))
        family = scope.place.family
        if family in ("go", "java") and not bindings:
            near = self._same_package(file_id, name)
            if near or family == "go":
                return _weakened(near, rules.SHARED)
            found |= self._starred(file_id, name)
        found = found or self.nearest_type(file_id, name)
        if not found and (bindings or self._is_foreign(file_id, name)):
            return OUT if family in ("python", "go") or self._by_path(file_id, name) else EMPTY
        return _weakened(frozenset(found), rules.IMPORTED)

    def nearest_type(self, file_id: int, name: str) -> Values:
        """A type that no path leads to, where namespaces are none: `ast::Parser`, `Parser`."""
        if not name[:1].isupper() or self._tables.place(file_id).family in BY_PATH:
            return EMPTY
        found = self._classes.elsewhere(file_id, name)
        return frozenset(("def", d.id, 0, rules.IMPORTED) for d in found)

    def _binding(self, file_id: int, binding: Import) -> Values:
        place = self._tables.place(file_id)
        found: set[Value] = set()
        modules = self._tables.modules(place, binding.module)
        if binding.name in ("", "*") and (binding.alias or place.family != "python"):
            whole: set[Value] = {("mod", module, 0, rules.IMPORTED) for module in modules}
            for module in modules if place.family == "javascript" else ():
                whole |= self._ask(("global", module, "default"))  # `module.exports = …`
            return frozenset(whole)
        if binding.name in ("", "*"):
            path = binding.module
            return frozenset() if "." in path.strip(".") else frozenset(
                ("mod", module, 0, rules.IMPORTED) for module in modules
            )  # fmt: skip
        for module in modules:
            found |= self._ask(("global", module, binding.name))
        if not modules and place.family == "python":
            joint = "" if binding.module.endswith(".") else "."
            path = f"{binding.module}{joint}{binding.name}"
            inside = self._tables.modules(place, path)
            found |= {("mod", module, 0, rules.IMPORTED) for module in inside}
        return frozenset(found) or self._namespace(file_id, binding)

    def _namespace(self, file_id: int, binding: Import) -> Values:
        """An import that names no path: the definition that agrees with it best."""
        place = self._tables.place(file_id)
        if place.family in ("python", "go"):
            return EMPTY
        original = SEPARATORS.split(binding.name)[-1]
        known = self._tables.named(original, ReferenceKind.CALL, place.family)
        found = namespace_imports.in_module(known, binding, place)
        return frozenset({("def", found.id, 0, rules.IMPORTED)}) if found else EMPTY

    def _path(self, file_id: int, path: str) -> Values:
        """`a.b` of `import a.b.c`: a module, and the way to others."""
        scope = self._tables.imports(file_id)
        found: set[Value] = set()
        for binding in scope.dotted.get(path.partition(".")[0], ()):
            if binding.module == path or binding.module.startswith(path + "."):
                found.add(("path", file_id, path, rules.IMPORTED))
                inside = self._tables.modules(scope.place, path)
                found |= {("mod", module, 0, rules.IMPORTED) for module in inside}
        return frozenset(found)

    def _same_package(self, file_id: int, name: str) -> Values:
        """What another file of the same Go or Java package has under a name."""
        place = self._tables.place(file_id)
        for near in self._tables.defined(name):
            same = near.place.package == place.package and near.place.family == place.family
            if same and near.top_level and near.file_id != file_id:
                return self._ask(("global", near.file_id, name))
        return EMPTY

    def _starred(self, file_id: int, name: str) -> Values:
        """A type of a package, or a member of a type, of which everything is imported."""
        scope = self._tables.imports(file_id)
        for binding in scope.stars:
            known = self._tables.named(name, ReferenceKind.CALL, scope.place.family)
            found = namespace_imports.in_module(known, binding, scope.place)
            if found is not None:
                return frozenset({("def", found.id, 0, rules.IMPORTED)})
        return EMPTY

    def _by_path(self, file_id: int, name: str) -> bool:
        """Whether what a Java file imports would have been found: all of that name is Java's.

        Kotlin and Scala do not keep a package in the folders of its name.
        """
        if self._tables.place(file_id).language != "java":
            return False
        known = self._tables.named(name, ReferenceKind.CALL, "java")
        return all(definition.place.language == "java" for definition in known.all)

    def _is_foreign(self, file_id: int, name: str) -> bool:
        """Whether a name is that of a type, and of none in the tree: `Math`, `String`."""
        family = self._tables.place(file_id).family
        if family != "java" or not name[:1].isupper():
            return False
        return not self._tables.named(name, ReferenceKind.TYPE, family).all


def _weakened(values: Values, rule: int) -> Values:
    if rule == rules.PLAIN or not values:
        return values
    return frozenset((kind, target, extra, max(own, rule)) for kind, target, extra, own in values)
