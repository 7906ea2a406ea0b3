package stage

import (
	"strings"
	"testing"

	"dcctop/ui/tui/tuitest"
)

func TestASceneThatFailsIsAnErrorAndIsCleanedUp(t *testing.T) {
	var order []string
	err := Play(func(t tuitest.T) {
		t.Cleanup(func() { order = append(order, "first") })
		t.Cleanup(func() {
			order = append(order, "second")
			t.Fatalf("nor this")
		})
		t.Fatalf("no %s", "job")
		order = append(order, "went on")
	})
	if err == nil || err.Error() != "no job\nnor this" {
		t.Errorf("error %v, want what failed", err)
	}
	if got := strings.Join(order, " "); got != "second first" {
		t.Errorf("ran %q, want the cleanups from the last to the first", got)
	}
	if err := Play(func(tuitest.T) {}); err != nil {
		t.Errorf("a scene without a failure: %v", err)
	}
}

func TestTheProgramFindsAllItsPlacesOnTheStage(t *testing.T) {
	s := &Stage{Dir: t.TempDir()}
	env, err := s.Env("one", "NO_COLOR=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if (strings.HasPrefix(name, "XDG_") || name == "HOME" || name == "TMPDIR") && !strings.HasPrefix(value, s.Dir) {
			t.Errorf("%s is outside the stage", kv)
		}
	}
	if env[len(env)-1] != "NO_COLOR=1" {
		t.Errorf("environment %q does not end with what was asked for", env)
	}
}
