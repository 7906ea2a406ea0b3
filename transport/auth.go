package transport

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"dcctop/core"
)

// maxToken bounds what is read from a token file, in bytes.
const maxToken = 4 << 10

// MakeToken makes a random token, and a file at path that holds it and that only
// its owner can read. The file is complete before it has its name: a reader sees
// the old token or the new one, never half of one. An existing file is replaced.
func MakeToken(path string) (string, error) {
	token := rand.Text()
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("make token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("make token: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return token, nil
}

// ReadToken returns the token in the file at path. It refuses a file that others
// than its owner can read or write, with a message that says how to mend it. A
// missing file is an error that wraps [fs.ErrNotExist].
func ReadToken(path string) (string, error) {
	// Looked at first: opening a pipe would wait for somebody to write to it.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", checkTokenFile(path, info)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	if err := checkTokenFile(path, info); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%w token file %s: does not hold one token; start the dispatcher again", core.ErrInvalid, path)
	}
	return token, nil
}

// checkTokenFile refuses what is not a private file. Where the system has no
// such modes (Windows) the folder's own protection has to do.
func checkTokenFile(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w token file %s: not a regular file", core.ErrInvalid, path)
	case privateModes && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%w token file %s: mode %#o lets others read it; run chmod 600 %s and start the dispatcher again for a new token",
			core.ErrInvalid, path, info.Mode().Perm(), path)
	}
	return nil
}

// bearer returns the token of a request's Authorization header, or "".
func bearer(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// sameToken compares in a time that tells nothing of where, or by how much, the
// two differ.
func sameToken(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
