package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"dcctop/core"
)

// ChannelPath is where a dispatcher serves the control channels of its jobs.
const ChannelPath = "/v1/job"

// What a channel takes, and how often it says that it is there.
const (
	MaxChannelBody = 64 << 10        // bytes of one body
	ChannelPing    = 5 * time.Second // a comment on the stream; silent for three times as long, it is dead
)

// Channel is what the processes of jobs ask of their dispatcher. Each call names
// its job by that job's token and no other way. Errors wrap core.ErrForbidden
// for a token that is no job's, core.ErrEnded, core.ErrTooMany, core.ErrRepeated
// or core.ErrInvalid. The methods are safe for concurrent use.
type Channel interface {
	// Whose returns the job whose token it is.
	Whose(token string) (core.JobID, error)
	// Attach listens for the cancel of the job, which is attached as long as the
	// range runs. The first value comes when that is so; it is zero where no
	// cancel was asked for. The sequence ends with an error.
	Attach(ctx context.Context, token string) iter.Seq2[core.Cancellation, error]
	Checkpoint(token string, age time.Duration, seenAge *time.Duration) error
	Report(token string, p core.Progress) error
	SetResult(token string, result json.RawMessage) error
	SubmitChild(ctx context.Context, token string, s core.Submission) (*core.Job, error)
}

// serveChannel answers one request of a process of a job.
func (s *Server) serveChannel(w http.ResponseWriter, r *http.Request) {
	verb := strings.TrimPrefix(r.URL.Path, ChannelPath+"/")
	method := http.MethodPost
	switch verb {
	case "cancel":
		method = http.MethodGet
	case "checkpoint", "progress", "result", "children":
	default:
		s.turnAway(w, r, http.StatusNotFound, "nothing here; a job has cancel, checkpoint, progress, result and children")
		return
	}
	if s.o.Channel == nil {
		s.turnAway(w, r, http.StatusNotFound, "this dispatcher has no control channels")
		return
	}
	if no := s.checkOrigin(r); no != nil {
		s.turnAway(w, r, no.status, no.text)
		return
	}
	token := bearer(r)
	id, err := s.o.Channel.Whose(token)
	if err != nil {
		s.turnAwayFor(w, r, err)
		return
	}
	if r.Method != method {
		w.Header().Set("Allow", method)
		s.turnAway(w, r, http.StatusMethodNotAllowed, fmt.Sprintf("%s is asked with %s", verb, method))
		return
	}
	if verb == "cancel" {
		s.serveStream(w, r, id, token)
		return
	}
	body, status, err := readBody(w, r)
	if err != nil {
		s.turnAway(w, r, status, err.Error())
		return
	}
	job, err := s.tell(r.Context(), verb, token, body)
	switch {
	case err != nil:
		s.turnAwayFor(w, r, err)
	case job != nil:
		answerJSON(w, http.StatusCreated, job)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// tell passes on what a job says. The job that it returns is a new child.
func (s *Server) tell(ctx context.Context, verb, token string, body []byte) (*core.Job, error) {
	to := s.o.Channel
	switch verb {
	case "checkpoint":
		age, seenAge, err := decodeCheckpoint(body)
		if err != nil {
			return nil, err
		}
		return nil, to.Checkpoint(token, age, seenAge)
	case "progress":
		p, err := decodeProgress(body)
		if err != nil {
			return nil, err
		}
		return nil, to.Report(token, p)
	case "result":
		result, err := decodeResult(body)
		if err != nil {
			return nil, err
		}
		return nil, to.SetResult(token, result)
	}
	child, err := decodeChild(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	return to.SubmitChild(ctx, token, child)
}

// readBody returns a body, or the status and the error to answer with.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, int, error) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(FirstFrameWait)) // not all writers have one
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxChannelBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("body: over %d bytes; send less, or the name of a file", MaxChannelBody)
	case err != nil:
		return nil, http.StatusBadRequest, fmt.Errorf("body: %w", err)
	}
	return body, 0, nil
}

// turnAwayFor refuses with the status that stands for an error.
func (s *Server) turnAwayFor(w http.ResponseWriter, r *http.Request, err error) {
	s.turnAway(w, r, channelStatus(err), err.Error())
}

// turnAway refuses a request of a process: for a program, so in JSON.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, status int, text string) {
	s.o.Logger.Debug("channel refused", "peer", r.RemoteAddr, "path", clip(r.URL.Path, 80), "status", status, "why", text)
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="dcctop job"`)
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
	}
	answerJSON(w, status, map[string]string{"error": text})
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written as JSON"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // to a process that has gone
}

// channelStatus is the status that stands for an error of a [Channel].
func channelStatus(err error) int {
	for _, row := range []struct {
		is     error
		status int
	}{
		{core.ErrForbidden, http.StatusUnauthorized},
		{core.ErrEnded, http.StatusGone},
		{core.ErrTooMany, http.StatusTooManyRequests},
		{core.ErrRepeated, http.StatusConflict},
		{core.ErrClosed, http.StatusServiceUnavailable},
		{core.ErrInvalid, http.StatusBadRequest},
	} {
		if errors.Is(err, row.is) {
			return row.status
		}
	}
	return http.StatusInternalServerError
}
