//go:build unix

package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"dcctop/core"
)

// TestPartOfAJob is no test: it is the process of a job, which the tests below
// start as one. It speaks the control channel in nothing but plain HTTP.
func TestPartOfAJob(t *testing.T) {
	if os.Getenv("PART_OF_A_JOB") == "" {
		return
	}
	if err := partOfAJob(); err != nil {
		fmt.Println("part:", err)
		os.Exit(9)
	}
}

func partOfAJob() error {
	stream, err := request(http.MethodGet, "cancel", "")
	if err != nil {
		return err
	}
	defer func() { _ = stream.Body.Close() }()
	lines := bufio.NewScanner(stream.Body)
	for _, say := range []struct{ verb, body string }{
		{"progress", `{"current":3,"total":24,"unit":"frame","message":"hair"}`},
		{"result", `{"frames":3}`},
		{"children", `{"name":"child","slots":0,"command":["sleep","1000"]}`},
		{"checkpoint", `{"age_ms":0}`},
	} {
		if err := tell(say.verb, say.body); err != nil {
			return err
		}
	}
	for lines.Scan() {
		fmt.Println(lines.Text())
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var c struct{ By, Reason string }
		if err := json.Unmarshal([]byte(data), &c); err != nil || c.By == "" {
			return fmt.Errorf("%s: %v", data, err)
		}
		if err := tell("checkpoint", `{"age_ms":0,"seen_age_ms":0}`); err != nil {
			return err
		}
		fmt.Println("stopping because of:", c.Reason)
		os.Exit(1)
	}
	return fmt.Errorf("the stream ended: %v", lines.Err())
}

func tell(verb, body string) error {
	answer, err := request(http.MethodPost, verb, body)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func request(method, verb, body string) (*http.Response, error) {
	r, err := http.NewRequest(method, os.Getenv("DCCTOP_URL")+"/"+verb, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("DCCTOP_TOKEN"))
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		return nil, fmt.Errorf("%s: %s", verb, answer.Status)
	}
	return answer, nil
}

// submitPart submits the process above as a job.
func submitPart(d *desk, flags ...string) string {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	args := append([]string{"--name", "listener", "--env", "PART_OF_A_JOB=1"}, flags...)
	return d.submit(append(args, "--", self, "-test.run", "^TestPartOfAJob$")...)
}

func TestAProcessThatListensStopsWhenItIsAsked(t *testing.T) {
	d := newDesk(t)
	d.serve()
	id := submitPart(d)
	j := d.job(id, "what it says", func(j core.Job) bool { return len(j.Children) > 0 && j.LastCheckpointAt != 0 })
	if j.StopsBy != core.StopsByToken || j.Progress == nil || j.Progress.Current != 3 || j.Progress.Message != "hair" {
		t.Errorf("%+v", j)
	}
	if code, out, errText := d.run("cancel", id, "--reason", "wrong camera 渲染", "--wait"); code != 0 {
		t.Errorf("cancel: exit %d, %s%s", code, out, errText)
	}
	j = d.job(id, "its end", func(j core.Job) bool { return j.State.Terminal() })
	c := j.Cancellation
	if j.State != core.Cancelled || c.Step != core.StepToken || c.Late || j.Exit == nil || j.Exit.Code != 1 || !strings.Contains(string(j.Result), `"frames": 3`) {
		t.Errorf("%s, exit %+v, %+v, result %s", j.State, j.Exit, c, j.Result)
	}
	if c.SeenAt < c.RequestedAt || c.StoppedAt < c.SeenAt || c.StoppedAt.Sub(c.RequestedAt) > 10*time.Second {
		t.Errorf("asked %v, seen %v, stopped %v", c.RequestedAt, c.SeenAt, c.StoppedAt)
	}
	if j.Children[core.Cancelled] != 1 {
		t.Errorf("children %v", j.Children)
	}
	if code, out, _ := d.run("logs", id); code != 0 || !strings.Contains(out, "stopping because of: wrong camera 渲染") {
		t.Errorf("log %q", out)
	}
}

func TestTheTokenOfAJobIsInNoRecordAndOpensNoFeed(t *testing.T) {
	d := newDesk(t)
	s := d.serve()
	id := d.submit("--", "sh", "-c", `echo "token $DCCTOP_TOKEN"; sleep 1000`)
	var token string
	d.job(id, "its token", func(core.Job) bool {
		_, out, _ := d.run("logs", id)
		token, _ = strings.CutPrefix(strings.TrimSpace(out), "token ")
		return token != ""
	})
	if _, out, _ := d.run("show", "--json", id); strings.Contains(out, token) {
		t.Error("the token is on the record")
	}
	feed, err := http.NewRequest(http.MethodGet, "http"+strings.TrimPrefix(s.URL, "ws"), nil)
	if err != nil {
		t.Fatal(err)
	}
	feed.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultTransport.RoundTrip(feed)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("the feed answers %s", answer.Status)
	}
}
