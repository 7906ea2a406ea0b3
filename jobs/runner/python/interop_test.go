//go:build interop

package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The module is tested by test_dcctop.py, under real interpreters. Each of these
// variables lists some, separated as in PATH.
const (
	// pythons are tested without what is installed in them. Where the variable
	// is empty: those of usualPythons that are on PATH.
	pythons = "DCCTOP_PYTHONS"
	// corePythons have dcc-mcp-core, and are tested with it.
	corePythons = "DCCTOP_DCC_MCP_PYTHONS"
)

var usualPythons = []string{"python3.7", "python3.13", "python3"}

// listed returns the interpreters of a variable.
func listed(variable string) []string {
	var all []string
	for _, path := range filepath.SplitList(os.Getenv(variable)) {
		if path != "" {
			all = append(all, path)
		}
	}
	return all
}

// found returns the interpreters to be tested. A name on PATH may stand for a
// version that is not there.
func found(t *testing.T) []string {
	t.Helper()
	all := listed(pythons)
	if len(all) > 0 {
		return all
	}
	for _, name := range usualPythons {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "").Run() == nil {
			all = append(all, path)
		}
	}
	if len(all) == 0 {
		t.Fatalf("no interpreter found; name some in %s", pythons)
	}
	return all
}

// withCore returns the interpreters that have dcc-mcp-core.
func withCore(t *testing.T) []string {
	t.Helper()
	all := listed(corePythons)
	if len(all) == 0 {
		t.Fatalf("%s names no interpreter; pip install dcc-mcp-core==0.20.49 in a virtual environment, and name its python", corePythons)
	}
	return all
}

// run runs a Python program of this folder, and shows what it prints.
func run(t *testing.T, env []string, argv ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), append(env, "PYTHONDONTWRITEBYTECODE=1")...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s\n%s", argv, out)
	if err != nil {
		t.Error(err)
	}
}

func TestInteropThePythonModuleByItself(t *testing.T) {
	for _, python := range found(t) {
		t.Run(python, func(t *testing.T) {
			t.Parallel()
			run(t, []string{"DCCTOP_TEST_FORM=embedded"}, python, "-S", "test_dcctop.py")
		})
	}
}

func TestInteropThePythonModuleWithTheRealPackage(t *testing.T) {
	for _, python := range withCore(t) {
		t.Run(python, func(t *testing.T) {
			t.Parallel()
			run(t, []string{"DCCTOP_TEST_FORM=real"}, python, "test_dcctop.py")
		})
	}
}

func TestInteropThePythonModuleInBlender(t *testing.T) {
	blender, err := exec.LookPath("blender")
	if err != nil {
		t.Fatal(err)
	}
	run(t, []string{"DCCTOP_TEST_BLENDER=" + blender}, found(t)[0], "-S", "test_dcctop.py", "InBlender")
}

// A check of a job may cost half of what the package's own costs with a live
// token of its own.
func TestInteropWhatACheckInPythonCosts(t *testing.T) {
	for _, python := range withCore(t) {
		t.Run(python, func(t *testing.T) { run(t, nil, python, "bench_dcctop.py", "0.5") })
	}
}
