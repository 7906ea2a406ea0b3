package python

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func write(t *testing.T, folder string) string {
	t.Helper()
	path, err := Write(folder)
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(there) != source {
		t.Errorf("%s has %d bytes that are not those of the module", path, len(there))
	}
	return path
}

func TestTheModuleIsWrittenOnceAndForThisUserOnly(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	path := write(t, folder)
	if filepath.Base(path) != Name || !filepath.IsAbs(path) {
		t.Errorf("written as %s: a script could not import it", path)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if again := write(t, folder); again != path {
		t.Errorf("then written as %s, not as %s", again, path)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the same module was written twice")
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v", p, info.Mode())
		}
	}
}

func TestAModuleThatWasCutOffOrChangedIsReplaced(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder)
	for name, change := range map[string]func() error{
		"cut off": func() error { return os.Truncate(path, 100) },
		"changed": func() error {
			return os.WriteFile(path, []byte(strings.Repeat("#", len(source))), 0o600)
		},
		"gone":   func() error { return os.Remove(path) },
		"a link": func() error { return relink(path, filepath.Join(folder, "elsewhere")) },
	} {
		if err := change(); err != nil {
			if name == "a link" && runtime.GOOS == "windows" {
				continue // needs a privilege there
			}
			t.Fatal(name, err)
		}
		if again := write(t, folder); again != path {
			t.Errorf("%s: written as %s", name, again)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 {
		t.Errorf("beside the module there is left: %v", left)
	}
}

// relink puts a link to a file with the same text in place of a file.
func relink(path, elsewhere string) error {
	if err := os.WriteFile(elsewhere, []byte(source), 0o600); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink(elsewhere, path)
}

func TestManyDispatchersWriteItAtOnce(t *testing.T) {
	folder := t.TempDir()
	paths := make([]string, 16)
	var wg sync.WaitGroup
	for i := range paths {
		wg.Go(func() {
			path, err := Write(folder)
			if err != nil {
				t.Error(err)
			}
			paths[i] = path
		})
	}
	wg.Wait()
	if len(slices.Compact(paths)) != 1 {
		t.Errorf("written as %v", paths)
	}
	write(t, folder)
}

func TestAFolderThatCannotBeTrustedIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there the folder above decides")
	}
	for name, spoil := range map[string]func(private string) error{
		"chmod 700": func(private string) error { return os.Chmod(private, 0o777) },
		"is no folder": func(private string) error {
			if err := os.RemoveAll(private); err != nil {
				return err
			}
			return os.Symlink(t.TempDir(), private)
		},
	} {
		folder := t.TempDir()
		private := filepath.Dir(write(t, folder))
		if err := spoil(private); err != nil {
			t.Fatal(err)
		}
		_, err := Write(folder)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), private) {
			t.Errorf("want an error about %s that says %q, got %v", private, name, err)
		}
	}
}

func TestTheCacheDirectoryOfTheUserIsTheDefault(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the variable is that of Linux")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path, err := File()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(path, filepath.Join(cache, "dcctop")+string(filepath.Separator)) {
		t.Errorf("written as %s", path)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if path, err := File(); err == nil {
		t.Errorf("without a home it was written as %s", path)
	}
}

func TestCommandLines(t *testing.T) {
	for _, c := range []struct{ got, want []string }{
		{Argv("python3", "/m/dcctop.py", "/s/a.py"), []string{"python3", "-u", "/m/dcctop.py", "run", "/s/a.py"}},
		{BlenderArgv("blender", "/f.blend", "/m/dcctop.py", "/s/a.py"),
			[]string{"blender", "-b", "/f.blend", "--python-exit-code", "1", "-P", "/m/dcctop.py", "--", "run", "/s/a.py"}},
		{BlenderArgv("blender", "/f.blend", "/m/dcctop.py", "/s/a.py", "-s", "1", "-e", "4"),
			[]string{"blender", "-b", "/f.blend", "--python-exit-code", "1", "-s", "1", "-e", "4", "-P", "/m/dcctop.py", "--", "run", "/s/a.py"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got  %q\nwant %q", c.got, c.want)
		}
	}
}
