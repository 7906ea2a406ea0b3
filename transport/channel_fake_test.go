package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dcctop/core"
)

// booth is a dispatcher's side of the channel of one job, J1, with a token.
type booth struct {
	cancel chan core.Cancellation // to tell the stream
	over   chan struct{}          // closed when the job is

	mu       sync.Mutex // guards what follows
	attached int
	fail     error // for every call
	got      []string
}

const jobToken = "one-jobs-token"

func newBooth() *booth {
	return &booth{cancel: make(chan core.Cancellation, 1), over: make(chan struct{})}
}

func (b *booth) Whose(token string) (core.JobID, error) {
	if token != jobToken {
		return "", fmt.Errorf("token: %w", core.ErrForbidden)
	}
	return "J1", nil
}

func (b *booth) Attach(ctx context.Context, token string) iter.Seq2[core.Cancellation, error] {
	return func(yield func(core.Cancellation, error) bool) {
		if err := b.note(token, "attach"); err != nil {
			yield(core.Cancellation{}, err)
			return
		}
		b.count(1)
		defer b.count(-1)
		for more := yield(core.Cancellation{}, nil); more; {
			select {
			case c := <-b.cancel:
				more = yield(c, nil)
			case <-b.over:
				yield(core.Cancellation{}, fmt.Errorf("job J1: %w", core.ErrEnded))
				return
			case <-ctx.Done():
				yield(core.Cancellation{}, ctx.Err())
				return
			}
		}
	}
}

func (b *booth) count(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.attached += n
}

func (b *booth) streams() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.attached
}

// note takes a call down.
func (b *booth) note(token, format string, args ...any) error {
	if _, err := b.Whose(token); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return b.fail
	}
	b.got = append(b.got, fmt.Sprintf(format, args...))
	return nil
}

func (b *booth) last() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.got) == 0 {
		return ""
	}
	return b.got[len(b.got)-1]
}

func (b *booth) Checkpoint(token string, age time.Duration, seenAge *time.Duration) error {
	if seenAge == nil {
		return b.note(token, "checked %s ago", age)
	}
	return b.note(token, "checked %s ago, seen %s ago", age, *seenAge)
}

func (b *booth) Report(token string, p core.Progress) error { return b.note(token, "%+v", p) }

func (b *booth) SetResult(token string, result json.RawMessage) error {
	return b.note(token, "result %s", result)
}

func (b *booth) SubmitChild(_ context.Context, token string, s core.Submission) (*core.Job, error) {
	if err := b.note(token, "child %s", s.Command); err != nil {
		return nil, err
	}
	return &core.Job{ID: "J2", Name: s.Name, State: core.Pending, Parent: "J1", Command: s.Command}, nil
}

var _ Channel = (*booth)(nil)

// serveBooth returns a booth that is served, and the network that it is on.
func serveBooth(t *testing.T) (*booth, *wire, *Server, func()) {
	t.Helper()
	b, w := newBooth(), &wire{}
	s, err := NewServer(newMemory("e1"), ServerOptions{Token: testToken, Channel: b})
	if err != nil {
		t.Fatal(err)
	}
	return b, w, s, serve(t, s, w.listen())
}

// say makes one request of a process and returns the status, the header and the
// body.
func say(t *testing.T, w *wire, method, verb, body string, with ...func(*http.Request)) (int, http.Header, string) {
	t.Helper()
	tr := &http.Transport{DialContext: w.dial, DisableKeepAlives: true}
	defer tr.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:7720"+ChannelPath+"/"+verb, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+jobToken)
	for _, f := range with {
		f(r)
	}
	answer, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

func withToken(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// listener is the stream of a process.
type listener struct {
	t      *testing.T
	lines  *bufio.Reader
	header http.Header
	close  func()
}

func openStream(t *testing.T, w *wire) *listener {
	t.Helper()
	tr := &http.Transport{DialContext: w.dial, DisableKeepAlives: true}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:7720"+ChannelPath+"/cancel", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+jobToken)
	answer, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, lines: bufio.NewReader(answer.Body), header: answer.Header}
	var once sync.Once
	l.close = func() { once.Do(func() { _ = answer.Body.Close() }) }
	t.Cleanup(l.close)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %s", answer.Status)
	}
	return l
}

// next returns the lines of the next event or comment, and "" at the end.
func (l *listener) next() string {
	l.t.Helper()
	var event []string
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil {
			return ""
		}
		if line == "\n" {
			return strings.Join(event, "\n")
		}
		event = append(event, strings.TrimSuffix(line, "\n"))
	}
}
