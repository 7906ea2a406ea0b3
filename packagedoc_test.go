package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A reader looks for what a package is for in one place. Two comments drift
// apart, and none leaves the reader to guess.
func TestEveryPackageHasExactlyOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		comments[dir] = append(comments[dir], nil...)
		if file.Doc != nil && strings.TrimSpace(file.Doc.Text()) != "" {
			comments[dir] = append(comments[dir], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has a package comment in %d files %v: put one in doc.go or in the file of the same name", dir, len(files), files)
		}
	}
}
