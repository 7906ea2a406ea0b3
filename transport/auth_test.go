package transport

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dcctop/core"
)

func TestATokenFileIsForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if _, err := ReadToken(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	one, err := MakeToken(path)
	if err != nil || len(one) < 20 {
		t.Fatalf("make: %q, %v", one, err)
	}
	if info, err := os.Stat(path); err != nil || privateModes && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got, err := ReadToken(path); err != nil || got != one {
		t.Errorf("read %q, %v", got, err)
	}
	two, err := MakeToken(path)
	if err != nil || two == one {
		t.Errorf("made again: %q, %v", two, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
	if !privateModes {
		return
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadToken(path); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %#o: %v", mode, err)
		}
	}
}

func TestAFileThatHoldsNoTokenIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "\n", "two tokens\n", "two\nlines\n"} {
		path := filepath.Join(dir, "token")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadToken(path); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadToken(dir); !errors.Is(err, core.ErrInvalid) && err == nil {
		t.Errorf("a folder: %v", err)
	}
	if _, err := MakeToken(filepath.Join(dir, "missing", "token")); err == nil {
		t.Error("made a token in a folder that is not there")
	}
}

func TestWhatAServerURLMayBe(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1:7720":                "ws://127.0.0.1:7720/v1/feed",
		"localhost:1":                   "ws://localhost:1/v1/feed",
		"[::1]:7720":                    "ws://[::1]:7720/v1/feed",
		"http://127.0.0.1:7720":         "ws://127.0.0.1:7720/v1/feed",
		"ws://127.0.0.1:7720/v1/feed":   "ws://127.0.0.1:7720/v1/feed",
		"https://farm.example/":         "wss://farm.example/v1/feed",
		"wss://farm.example/proxy/feed": "wss://farm.example/proxy/feed",
		"farm.example:7720":             "",
		"ws://farm.example/v1/feed":     "",
		"ws://ann:pw@127.0.0.1:7720":    "",
		"ws://127.0.0.1:7720?token=x":   "",
		"ftp://127.0.0.1":               "",
		"":                              "",
		"ws://":                         "",
		"::":                            "",
	} {
		got, err := FeedURL(in)
		if got != want || (want == "") != errors.Is(err, core.ErrInvalid) {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

func TestClientOptionsThatContradict(t *testing.T) {
	for name, o := range map[string]ClientOptions{
		"nowhere":     {},
		"both ways":   {URL: "127.0.0.1:1", Endpoint: func() (string, string, error) { return "", "", nil }},
		"bad URL":     {URL: "farm.example:7720"},
		"no patience": {URL: "127.0.0.1:1", ConnectTimeout: -1},
	} {
		if c, err := Dial(o); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func TestEveryCodeSaysWhetherToComeBack(t *testing.T) {
	seen := map[int]bool{}
	for _, r := range closeTable() {
		if seen[r.Code] || r.Text == "" || len(r.Text) > 123 || (r.Back != comeBackSoon && r.Back != comeBackSlowly) {
			t.Errorf("%+v", r)
		}
		if r.Code >= 4000 && (r.Code >= 4500) != (r.Back == comeBackSlowly) {
			t.Errorf("%d: %s; from 4500 on means slowly", r.Code, r.Back)
		}
		seen[r.Code] = true
	}
	if closeOf(4321).Back != comeBackSoon || closeOf(4999).Back != comeBackSlowly {
		t.Error("codes of a later version are read wrongly")
	}
}

func TestEverySentinelSurvivesTheWire(t *testing.T) {
	for _, is := range []error{core.ErrNotFound, core.ErrInvalid, core.ErrUnreachable, core.ErrOutcomeUnknown, core.ErrForbidden, core.ErrClosed} {
		sent := errorOf(errors.Join(errors.New("job A"), is))
		if got := error(&Error{Code: sent.Code, Message: sent.Message}); !errors.Is(got, is) || !strings.Contains(got.Error(), "job A") {
			t.Errorf("%v arrives as %v", is, got)
		}
	}
	if e := errorOf(errors.New("disk full")); e.Code != codeInternal || errors.Unwrap(e) != nil {
		t.Errorf("%+v", e)
	}
}
