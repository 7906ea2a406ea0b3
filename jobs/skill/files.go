package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	skillFile  = "SKILL.md"
	scriptsDir = "scripts"

	// maxFile bounds a SKILL.md and a tools file. The largest of the
	// ecosystem's own is 29 KiB.
	maxFile = 256 << 10
	// maxFolders bounds how many folders are looked through for skills.
	maxFolders = 10_000
)

type folder struct {
	name string
	link bool
}

// folders returns dir as an absolute path, and the folders below it that hold,
// or should hold, a skill: nil where dir is a skill itself.
func folders(dir string) (string, []folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, fmt.Errorf("skill directory %q: %w", dir, err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("skill directory %q: no such directory", dir)
	case err != nil:
		return "", nil, fmt.Errorf("skill directory: %w", err)
	case !info.IsDir():
		return "", nil, fmt.Errorf("skill directory %q is a file; give the folder that holds %s", dir, skillFile)
	case looksLikeSkill(abs):
		return abs, nil, nil
	}
	d, err := os.Open(abs)
	if err != nil {
		return "", nil, fmt.Errorf("skill directory: %w", err)
	}
	entries, err := d.ReadDir(maxFolders + 1)
	if err = errors.Join(err, d.Close()); err != nil && !errors.Is(err, io.EOF) {
		return "", nil, fmt.Errorf("skill directory: %w", err)
	}
	if len(entries) > maxFolders {
		return "", nil, fmt.Errorf("skill directory %q has more than %d entries; give one that holds skills only", dir, maxFolders)
	}
	found := []folder{}
	for _, e := range entries {
		path := filepath.Join(abs, e.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() && looksLikeSkill(path) {
			found = append(found, folder{e.Name(), e.Type()&fs.ModeSymlink != 0})
		}
	}
	slices.SortFunc(found, func(a, b folder) int { return strings.Compare(a.name, b.name) })
	return abs, found, nil
}

// looksLikeSkill reports whether a folder is, or was meant to be, a skill.
func looksLikeSkill(dir string) bool {
	for _, name := range []string{skillFile, "tools.yaml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// readFile returns a text file inside root. Its errors are for a person and do
// not name the file.
func readFile(root *os.Root, name string) (string, error) {
	if err := regular(root, name); err != nil {
		return "", err
	}
	f, err := root.Open(name)
	if err != nil {
		return "", plain(err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", plain(err)
	}
	switch {
	case len(b) > maxFile:
		return "", fmt.Errorf("larger than %d KiB; shorten it", maxFile>>10)
	case !utf8.Valid(b):
		return "", errors.New("is not UTF-8; save it as UTF-8")
	}
	return string(b), nil
}

// regular returns nil where name is a regular file inside root, links followed.
// It is looked at before it is opened: a named pipe would block.
func regular(root *os.Root, name string) error {
	if filepath.IsAbs(name) || !filepath.IsLocal(name) {
		return errOutside
	}
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return plain(err)
	case !info.Mode().IsRegular():
		return errors.New("is no file; name a file")
	}
	return nil
}

var (
	errMissing = errors.New("does not exist")
	errOutside = errors.New("leads out of the skill's folder; put the file inside it")
)

// plain takes the path, which the reader has, out of an error of the file
// system.
func plain(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errMissing
	case errors.As(err, &path) && path.Err.Error() == "path escapes from parent":
		return errOutside // os.Root has no name for it
	case errors.As(err, &path):
		return path.Err
	}
	return err
}
