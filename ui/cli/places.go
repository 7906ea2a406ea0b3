package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// places are the files by which a user's clients find the user's dispatcher.
type places struct {
	token   string // the secret, 0600
	address string // the URL of the feed, one line
}

// findPlaces follows the XDG variables: the runtime directory, or the state
// directory where there is none (a login without a session manager, macOS).
func findPlaces() places {
	dir := xdg.RuntimeDir
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = xdg.StateHome
	}
	dir = filepath.Join(dir, "dcctop")
	return places{token: filepath.Join(dir, "token"), address: filepath.Join(dir, "address")}
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
	if err := os.MkdirAll(filepath.Dir(p.address), 0o700); err != nil {
		return fmt.Errorf("cannot leave the address for clients: %w", err)
	}
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
