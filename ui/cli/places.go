package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// places are the files by which a user's clients find the user's dispatcher, and
// where that keeps its own.
type places struct {
	token   string // the secret, 0600
	address string // the URL of the feed, one line
	logs    string // a folder: what the jobs print
}

// findPlaces follows the XDG variables: the runtime directory, or the state
// directory where there is none (a login without a session manager, macOS).
func findPlaces() places {
	dir := xdg.RuntimeDir
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = xdg.StateHome
	}
	dir = filepath.Join(dir, "dcctop")
	return places{
		token: filepath.Join(dir, "token"), address: filepath.Join(dir, "address"),
		logs: filepath.Join(xdg.StateHome, "dcctop", "logs"),
	}
}

// lock takes these places for one dispatcher, until the file that it returns is
// closed or the process ends, however that comes.
func (p places) lock() (*os.File, error) {
	dir := filepath.Dir(p.address)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("no folder for the token and the address: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the folder of the token: %w", err)
	}
	if err := lockFile(f); err != nil {
		url, _ := p.readAddress() // only for the text
		return nil, errors.Join(fmt.Errorf("a dispatcher of yours runs already, at %s; to run another beside it, give it folders of its own: set XDG_RUNTIME_DIR and XDG_STATE_HOME", cmp.Or(url, "an address it has not told yet")), f.Close())
	}
	return f, nil
}

// readAddress returns the URL that a dispatcher of this user left, or "" when
// there is none.
func (p places) readAddress() (string, error) {
	b, err := os.ReadFile(p.address)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the address of the dispatcher: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// writeAddress leaves the URL for clients, whole or not at all.
func (p places) writeAddress(url string) error {
	temp := fmt.Sprintf("%s.%d", p.address, os.Getpid())
	if err := os.WriteFile(temp, []byte(url+"\n"), 0o600); err != nil {
		return fmt.Errorf("cannot leave the address for clients: %w", err)
	}
	if err := os.Rename(temp, p.address); err != nil {
		return errors.Join(fmt.Errorf("cannot leave the address for clients: %w", err), os.Remove(temp))
	}
	return nil
}

// removeAddress takes the URL back, unless another dispatcher has put its own.
func (p places) removeAddress(url string) error {
	if current, err := p.readAddress(); err != nil || current != url {
		return err
	}
	return os.Remove(p.address)
}
