// What the names in a Go module mean, by go/types: an oracle for `python -m bench.callgraph names`.
//
//	go run names.go ROOT > NAME.tsv
//
// Rows are described in bench/oracle.py. Test files are read too. Packages that are neither in the
// module nor in the standard library are missing: what they give has no type, and gets no row.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

type module struct {
	root, name string
	files      *token.FileSet
	texts      map[string][]string
	standard   types.Importer
	imported   map[string]*types.Package
	rows       map[string]bool
	out        *bufio.Writer
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	m := &module{root: root, files: token.NewFileSet(), texts: map[string][]string{},
		imported: map[string]*types.Package{}, rows: map[string]bool{}, out: bufio.NewWriter(os.Stdout)}
	defer m.out.Flush()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, "module "); found {
			m.name = strings.TrimSpace(rest)
		}
	}
	m.standard = importer.ForCompiler(m.files, "source", nil)
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "vendor" || isModule(path)) {
			return filepath.SkipDir
		}
		m.folder(path)
		return nil
	})
}

func isModule(path string) bool {
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// A folder is checked twice: with the tests of its package, and the tests of a package beside it.
func (m *module) folder(path string) {
	found, err := build.Default.ImportDir(path, 0)
	if found == nil || (err != nil && len(found.GoFiles)+len(found.TestGoFiles)+len(found.XTestGoFiles) == 0) {
		return
	}
	name := m.importPath(path)
	m.check(name, m.parse(path, append(found.GoFiles, found.TestGoFiles...)), true)
	m.check(name+"_test", m.parse(path, found.XTestGoFiles), true)
}

func (m *module) importPath(folder string) string {
	inner, _ := filepath.Rel(m.root, folder)
	if inner == "." {
		return m.name
	}
	return m.name + "/" + filepath.ToSlash(inner)
}

// Import finds a package of the module, without its tests, or one of the standard library.
func (m *module) Import(name string) (*types.Package, error) {
	if known, found := m.imported[name]; found {
		return known, nil
	}
	if name != m.name && !strings.HasPrefix(name, m.name+"/") {
		if strings.Contains(strings.Split(name, "/")[0], ".") {
			return nil, fmt.Errorf("%s is not here", name)
		}
		return m.standard.Import(name)
	}
	folder := filepath.Join(m.root, filepath.FromSlash(strings.TrimPrefix(name, m.name)))
	found, err := build.Default.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	made := m.check(name, m.parse(folder, found.GoFiles), false)
	m.imported[name] = made
	return made, nil
}

func (m *module) parse(folder string, names []string) []*ast.File {
	var parsed []*ast.File
	for _, name := range names {
		path := filepath.Join(folder, name)
		if file, _ := parser.ParseFile(m.files, path, nil, parser.SkipObjectResolution); file != nil {
			parsed = append(parsed, file)
			text, _ := os.ReadFile(path)
			m.texts[path] = strings.Split(string(text), "\n")
		}
	}
	return parsed
}

func (m *module) check(name string, parsed []*ast.File, isShown bool) *types.Package {
	if len(parsed) == 0 {
		return nil
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: m, Error: func(error) {}, FakeImportC: true}
	made, _ := config.Check(name, m.files, parsed, info)
	if isShown {
		m.show(parsed, info)
	}
	return made
}

func (m *module) show(parsed []*ast.File, info *types.Info) {
	called := map[*ast.Ident]bool{}
	for _, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if name := named(call.Fun); name != nil {
					called[name] = true
				}
			}
			return true
		})
	}
	for name, object := range info.Defs {
		if object != nil {
			m.row(name, "definition", object)
		}
	}
	for name, object := range info.Uses {
		if called[name] {
			m.row(name, "call", object)
		}
	}
}

// The name that is called: f, p.f, f[T], (f).
func named(called ast.Expr) *ast.Ident {
	switch node := called.(type) {
	case *ast.Ident:
		return node
	case *ast.SelectorExpr:
		return node.Sel
	case *ast.IndexExpr:
		return named(node.X)
	case *ast.IndexListExpr:
		return named(node.X)
	case *ast.ParenExpr:
		return named(node.X)
	}
	return nil
}

func (m *module) row(name *ast.Ident, role string, object types.Object) {
	path, line, start, found := m.place(name.Pos())
	if !found {
		return
	}
	means := "outside"
	if target, at, column, found := m.place(object.Pos()); found {
		means = fmt.Sprintf("%s:%d:%d", target, at, column)
	}
	row := fmt.Sprintf("%s\t%d\t%d\t%d\t%s\t%s\n", path, line, start,
		start+utf8.RuneCountInString(name.Name), role, means)
	if !m.rows[row] {
		m.rows[row] = true
		m.out.WriteString(row)
	}
}

// Path in the module, 0-based line, 0-based column in characters.
func (m *module) place(at token.Pos) (string, int, int, bool) {
	position := m.files.Position(at)
	lines, found := m.texts[position.Filename]
	if !at.IsValid() || !found || position.Line > len(lines) {
		return "", 0, 0, false
	}
	line := lines[position.Line-1]
	path, _ := filepath.Rel(m.root, position.Filename)
	column := utf8.RuneCountInString(line[:min(position.Column-1, len(line))])
	return filepath.ToSlash(path), position.Line - 1, column, true
}
