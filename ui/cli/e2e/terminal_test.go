//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"dcctop/core"
)

// Case 29, for the commands that print on a terminal themselves: names, output
// and errors of jobs are text there, and raw bytes in a pipe.
func TestWhatCommandsPrintOnATerminalIsText(t *testing.T) {
	const hostile = "evil\x1b]52;c;aGFja2Vk\x07\x1b]0;pwned\x07\x1b[2J\x1b[?1049h\u009b31m end"
	d := newDesk(t)
	d.serve()
	script := "printf '%s\\nlast line\\n' \"$0\"; exit 3"
	id := d.submit("--name", "job "+hostile, "--", "sh", "-c", script, hostile)
	d.job(id, "its end", func(j core.Job) bool { return j.State == core.Failed })

	for _, args := range [][]string{{"logs", id}, {"ls"}, {"show", id}, {"ls", "--json"}, {"show", "--json", id},
		{"cancel", id}, {"rerun", "--wait", id}, {"run", "--wait", "--name", hostile, "--", "sh", "-c", script, hostile}} {
		m := d.monitor(120, 40, args...)
		m.SetClipboard("mine")
		m.Wait()
		if m.Clipboard() != "mine" || m.Title() != "" || m.AltScreen() {
			t.Errorf("dcctop %q: the terminal acted on it: clipboard %q, title %q, alternate screen %v", args, m.Clipboard(), m.Title(), m.AltScreen())
		}
		if strings.TrimSpace(m.Text()) == "" {
			t.Errorf("dcctop %q left nothing on the screen", args)
		}
	}
	watching := d.monitor(120, 40, "watch")
	watching.SetClipboard("mine")
	watching.WaitText("evil")
	watching.Key("ctrl+c")
	if code := watching.Wait(); code != 130 || watching.Clipboard() != "mine" || watching.Title() != "" {
		t.Errorf("watch: exit %d, clipboard %q, title %q", code, watching.Clipboard(), watching.Title())
	}
	if _, out, _ := d.run("logs", id); !strings.Contains(out, hostile) {
		t.Errorf("a pipe does not get the bytes as they were: %q", out)
	}
}
