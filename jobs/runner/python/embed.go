// Package python carries the Python module that a script runs in, so that a
// cancel reaches it, and builds the command lines that run a script in it.
//
// The module is dcctop.py: one file for Python 3.7 and later, standard library
// only. A dispatcher needs nothing installed beside the interpreter; [File] puts
// the module where the interpreter can read it. What the module does is in its
// own documentation; what it says on the wire is that of the control channel in
// dcctop/jobs and dcctop/transport.
package python

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed dcctop.py
var source string

// Name is the module's file name. A script may import it by its stem.
const Name = "dcctop.py"

// File writes the module into the user's cache directory, unless it is there,
// and returns its absolute path. It is safe for concurrent use, also by several
// processes. The error says which folder could not be used.
func File() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("a folder for %s: %w", Name, err)
	}
	return Write(filepath.Join(cache, "dcctop"))
}

// Write is [File] for a given folder. The folder is made if it is not there. The
// module goes into a folder below it, open to this user only and named after what
// the module says, so that two versions of dcctop never meet: the jobs of the
// one go on while the other starts. A file there that says anything else, cut
// off or changed, is replaced.
func Write(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("a folder for %s: %w", Name, err)
	}
	sum := sha256.Sum256([]byte(source))
	folder = filepath.Join(folder, "python-"+hex.EncodeToString(sum[:8]))
	if err := private(folder); err != nil {
		return "", fmt.Errorf("a folder for %s: %w", Name, err)
	}
	path := filepath.Join(folder, Name)
	if same(path) {
		return path, nil
	}
	if err := replace(folder, path); err != nil && !same(path) { // another process may have been quicker
		return "", fmt.Errorf("write %s: %w", Name, err)
	}
	return path, nil
}

// private makes a folder that nobody else can write to. What lies in it is run.
func private(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no folder; remove it", folder)
	}
	return owned(folder, info)
}

// same reports whether the module is at a path already.
func same(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(source)) {
		return false
	}
	there, err := os.ReadFile(path)
	return err == nil && string(there) == source
}

// replace puts the module at a path in one step: a Python that starts meanwhile
// reads the old file or the new one, and never a part.
func replace(folder, path string) (err error) {
	f, err := os.CreateTemp(folder, "."+Name+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}()
	_, err = f.WriteString(source)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Argv returns the command line that runs a script in plain Python: module is
// what [File] returned. What the script prints is passed on line by line.
func Argv(python, module, script string) []string {
	return []string{python, "-u", module, "run", script}
}

// BlenderArgv returns the command line that opens a .blend file without a window
// and runs a script in it. Args are Blender's own; it obeys them before the
// script, so a frame range is set when the script looks. An error in the script
// ends Blender with exit code 1, which it would else leave at 0.
func BlenderArgv(blender, file, module, script string, args ...string) []string {
	argv := append([]string{blender, "-b", file, "--python-exit-code", "1"}, args...)
	return append(argv, "-P", module, "--", "run", script)
}
