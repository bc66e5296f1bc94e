import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * What the names in Java sources mean, by javac: an oracle for `python -m bench.callgraph names`.
 *
 * <p>{@code java Names.java ROOT [CLASSPATH] > NAME.tsv}. Rows are described in bench/oracle.py.
 * Libraries that are not on the class path are missing: what they give has no type, and no row.
 */
class Names extends TreePathScanner<Void, Void> {
    private final Path root;
    private final Trees trees;
    private final SourcePositions positions;
    private final Map<Path, String> texts = new HashMap<>();
    private final TreeSet<String> rows = new TreeSet<>();

    Names(Path root, Trees trees) {
        this.root = root;
        this.trees = trees;
        this.positions = trees.getSourcePositions();
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toRealPath();
        List<Path> files;
        try (Stream<Path> found = Files.walk(root)) {
            files = found.filter(Names::isSource).sorted().collect(Collectors.toList());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        List<String> options = List.of("-proc:none", "-nowarn", "-encoding", "UTF-8",
                "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "1", "-cp",
                arguments.length > 1 ? arguments[1] : "");
        JavacTask task = (JavacTask) compiler.getTask(null, manager, problem -> { }, options, null,
                manager.getJavaFileObjectsFromPaths(files));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        Names names = new Names(root, Trees.instance(task));
        for (CompilationUnitTree unit : units) {
            names.scan(unit, null);
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        names.rows.forEach(out::println);
        out.flush();
    }

    private static boolean isSource(Path path) {
        String name = path.getFileName().toString();
        return name.endsWith(".java") && !name.equals("module-info.java")
                && !name.equals("package-info.java");
    }

    @Override
    public Void visitClass(ClassTree tree, Void nothing) {
        definition(tree);
        return super.visitClass(tree, nothing);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void nothing) {
        definition(tree);
        return super.visitMethod(tree, nothing);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
        call(new TreePath(getCurrentPath(), tree.getMethodSelect()), tree.getMethodSelect());
        return super.visitMethodInvocation(tree, nothing);
    }

    @Override
    public Void visitNewClass(NewClassTree tree, Void nothing) {
        ExpressionTree type = tree.getIdentifier();
        TreePath path = new TreePath(getCurrentPath(), type);
        if (type instanceof ParameterizedTypeTree) {
            Tree plain = ((ParameterizedTypeTree) type).getType();
            call(new TreePath(path, plain), plain);
        } else {
            call(path, type);
        }
        return super.visitNewClass(tree, nothing);
    }

    private void definition(Tree tree) {
        Place place = place(getCurrentPath());
        if (place != null) {
            row(place, "definition", place.toString());
        }
    }

    private void call(TreePath path, Tree called) {
        Element meant = trees.getElement(path);
        Place place = named(path.getCompilationUnit(), called);
        if (meant == null || place == null || meant.asType().getKind().name().equals("ERROR")) {
            return;
        }
        TreePath declared = trees.getPath(meant);
        Place target = declared == null ? null : place(declared);
        if (target == null && declared != null) {  // a constructor that is written nowhere
            target = place(declared.getParentPath());
        }
        row(place, "call", declared == null || target == null ? "outside" : target.toString());
    }

    private void row(Place place, String role, String meaning) {
        rows.add(String.join("\t", place.path, "" + place.line, "" + place.start, "" + place.end,
                role, meaning));
    }

    /** Where the last name of an expression is. */
    private Place named(CompilationUnitTree unit, Tree tree) {
        int end = (int) positions.getEndPosition(unit, tree);
        if (end < 0) {
            return null;
        }
        if (tree instanceof MemberSelectTree) {
            return at(unit, end - ((MemberSelectTree) tree).getIdentifier().length(), end);
        }
        return tree instanceof IdentifierTree
                ? at(unit, (int) positions.getStartPosition(unit, tree), end) : null;
    }

    /** Where the name of a class or a method is; null if it has none there. */
    private Place place(TreePath path) {
        CompilationUnitTree unit = path.getCompilationUnit();
        Tree tree = path.getLeaf();
        int start = (int) positions.getStartPosition(unit, tree);
        int end = (int) positions.getEndPosition(unit, tree);
        String name;
        Tree before;
        if (tree instanceof ClassTree) {
            name = ((ClassTree) tree).getSimpleName().toString();
            before = ((ClassTree) tree).getModifiers();
        } else if (tree instanceof MethodTree) {
            MethodTree method = (MethodTree) tree;
            boolean isMade = method.getName().contentEquals("<init>");
            name = isMade ? owner(path) : method.getName().toString();
            before = isMade ? method.getModifiers() : method.getReturnType();
        } else {
            return null;
        }
        if (start < 0 || end <= start || name.isEmpty()) {
            return null;
        }
        int from = Math.max(start, (int) positions.getEndPosition(unit, before));
        Matcher found = Pattern.compile("\\b" + Pattern.quote(name) + "\\b").matcher(text(unit));
        return found.find(from) && found.start() < end ? at(unit, found.start(), found.end()) : null;
    }

    private static String owner(TreePath constructor) {
        Tree around = constructor.getParentPath().getLeaf();
        return around instanceof ClassTree ? ((ClassTree) around).getSimpleName().toString() : "";
    }

    private String text(CompilationUnitTree unit) {
        return texts.computeIfAbsent(Path.of(unit.getSourceFile().toUri()), path -> {
            try {
                return Files.readString(path);
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        });
    }

    private Place at(CompilationUnitTree unit, int start, int end) {
        String before = text(unit).substring(0, start);
        int line = (int) before.chars().filter(character -> character == '\n').count();
        int column = before.length() - before.lastIndexOf('\n') - 1;
        String path = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
        return new Place(path, line, column, column + end - start);
    }

    private static final class Place {
        final String path;
        final int line;
        final int start;
        final int end;

        Place(String path, int line, int start, int end) {
            this.path = path;
            this.line = line;
            this.start = start;
            this.end = end;
        }

        @Override
        public String toString() {
            return path + ":" + line + ":" + start;
        }
    }
}
