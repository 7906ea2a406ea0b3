package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dcctop/core"
)

// detail is the pane of one job: what it is, what became of its cancel, and the
// tail of its log.
type detail struct {
	top    int // first line shown
	result result
}

// facts collects labelled lines.
type facts struct {
	t     *theme
	k     talker
	zone  *time.Location
	w     int
	lines []string
}

const labelWidth = 10

// add writes a label and a value, wrapped under itself for up to most lines.
// An empty value has nothing to say.
func (f *facts) add(label string, st style, value string, most int) {
	if value == "" {
		return
	}
	pieces := wrapWords(value, max(f.w-labelWidth-1, 8))
	if len(pieces) > most {
		pieces = pieces[:most]
		pieces[most-1] = cut(pieces[most-1], max(f.w-labelWidth-2, 7), "") + f.t.dots
	}
	for i, s := range pieces {
		if i > 0 {
			label = ""
		}
		var p painter
		p.cell(f.t.muted, label, labelWidth, "")
		p.space(1)
		p.put(st, s)
		f.lines = append(f.lines, p.String())
	}
}

func (f *facts) gap() {
	if n := len(f.lines); n > 0 && f.lines[n-1] != "" {
		f.lines = append(f.lines, "")
	}
}

// when writes an instant as the time of day here, and how long ago it was.
func (f *facts) when(at core.Time) string {
	if at.IsZero() {
		return ""
	}
	s := at.Std().In(f.zone).Format("15:04:05")
	d := f.k.ago(at)
	if d >= 24*time.Hour {
		s = at.Std().In(f.zone).Format("2 Jan 15:04")
	}
	return s + " (" + clockText(d) + " ago)"
}

// draw draws the pane of j into r.
func (d *detail) draw(t *theme, k talker, zone *time.Location, j *core.Job, a *ask, g *logText, r rect) []string {
	f := &facts{t: t, k: k, zone: zone, w: r.w - 4}
	f.head(j)
	f.gap()
	f.times(j)
	if j.Cancellation != nil || a != nil {
		f.gap()
		f.cancel(j, a)
	}
	f.gap()
	f.add("cancel", f.t.warn, refusalText(k, j), 3)
	f.result(j, &d.result)
	f.gap()
	f.work(j)
	room := r.h - 2
	if len(f.lines)+4 > room {
		f.lines = slices.DeleteFunc(f.lines, func(l string) bool { return l == "" })
	}
	tail := f.tail(g, max(room-len(f.lines)-1, 3))
	if len(f.lines)+len(tail) < room {
		f.gap()
	}
	f.lines = append(f.lines, tail...)
	d.top = max(min(d.top, len(f.lines)-room), 0)
	body := make([]string, 0, room)
	for _, l := range f.lines[d.top:min(d.top+room, len(f.lines))] {
		body = append(body, " "+l)
	}
	for len(body) < room {
		body = append(body, "")
	}
	foot := ""
	if len(f.lines) > room {
		foot = paint(t.muted, "PgDn PgUp")
	}
	return t.frame(paint(t.title, "details"), foot, body, r.w, t.border)
}

func (f *facts) head(j *core.Job) {
	k := f.k
	f.add("name", f.t.strong, k.line(j.Name), 2)
	f.add("id", f.t.text, k.line(string(j.ID)), 2)
	f.add("state", f.t.state[j.State], stateText(f.t, k, j.State)+f.ending(j), 2)
	if fr, ok := fraction(j); ok {
		var p painter
		p.cell(f.t.muted, "progress", labelWidth, "")
		p.space(1)
		drawBar(&p, f.t, f.t.state[j.State], fr, max(min(f.w-labelWidth-28, 24), 6))
		p.put(f.t.text, " "+percent(fr)+f.outOf(j))
		f.lines = append(f.lines, p.String())
	} else {
		f.add("progress", f.t.text, countProgress(j), 1)
	}
	if j.Progress != nil {
		f.add("", f.t.muted, k.line(j.Progress.Message), 2)
	}
	var who []string
	for _, s := range []string{j.Kind, j.DCC, j.User, j.Host} {
		if s = k.line(s); s != "" {
			who = append(who, s)
		}
	}
	f.add("kind", f.t.text, strings.Join(who, k.sep), 2)
	f.add("parent", f.t.text, k.line(string(j.Parent)), 1)
	f.add("children", f.t.text, f.children(j), 2)
	f.labels(j)
	if j.Error != "" {
		f.add("error", f.t.bad, k.line(j.Error), 4)
	}
	if len(j.Left) > 0 {
		f.add("left", f.t.warn, "still running: "+k.leftNames(j, 20), 4)
	}
}

// labels shows those that the dispatcher gave in words, and the rest as they
// are.
func (f *facts) labels(j *core.Job) {
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(j.Labels)) {
		v := f.k.line(j.Labels[name])
		switch name {
		case "rerun_of":
			f.add("rerun of", f.t.text, v, 1)
		case "frames":
			f.add("frames", f.t.text, v+f.try(j), 2)
		case "try":
		default:
			rest = append(rest, f.k.line(name)+"="+v)
		}
	}
	f.add("labels", f.t.muted, strings.Join(rest, "  "), 2)
}

// try is which try of a chunk this is, from the second on.
func (f *facts) try(j *core.Job) string {
	if s := tryText(f.k, j); s != "" {
		return f.k.sep + s
	}
	return ""
}

// outOf is " 12/240 frames" behind the percentage.
func (f *facts) outOf(j *core.Job) string {
	if p := j.Progress; p != nil && p.Total > 0 && p.Unit != "%" {
		return "  " + number(p.Current) + "/" + number(p.Total) + " " + f.k.line(units(p))
	}
	if j.Progress == nil {
		if done, all := childrenDone(j); all > 0 {
			return fmt.Sprintf("  %d/%d children", done, all)
		}
	}
	return ""
}

// units is the unit of a progress in the plural.
func units(p *core.Progress) string {
	if p.Unit == "frame" && p.Total != 1 {
		return "frames"
	}
	return p.Unit
}

// refusalText says why a job cannot be cancelled, or nothing.
func refusalText(k talker, j *core.Job) string {
	if why := refusal(j); why != "" {
		return "cannot be cancelled: " + k.line(why)
	}
	return ""
}

// ending is how a process ended.
func (f *facts) ending(j *core.Job) string {
	if e := j.Exit; e != nil {
		if e.Signal != "" {
			return f.k.sep + f.k.line(e.Signal)
		}
		return f.k.sep + fmt.Sprintf("exit %d", e.Code)
	}
	return ""
}

func (f *facts) children(j *core.Job) string {
	var parts []string
	for _, s := range core.States() {
		if n := j.Children[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

func (f *facts) times(j *core.Job) {
	f.add("created", f.t.text, f.when(j.CreatedAt), 1)
	f.add("started", f.t.text, f.when(j.StartedAt), 1)
	if !j.FinishedAt.IsZero() {
		f.add("finished", f.t.text, f.when(j.FinishedAt)+", took "+clockText(f.k.elapsed(j)), 1)
	}
	if j.StopsBy != core.StopsByToken || j.Cancellation != nil || j.State.Terminal() || j.State == core.Pending {
		return
	}
	if !j.DeafSince.IsZero() {
		f.add("deaf", f.t.bad, "for "+spanText(f.k.ago(j.DeafSince))+f.k.sep+f.k.checkpoint(j), 2)
		return
	}
	f.add("last check", f.t.text, f.k.checked(j), 1)
}

// cancel shows the three facts apart: asked, seen, stopped.
func (f *facts) cancel(j *core.Job, a *ask) {
	c := j.Cancellation
	if c == nil {
		say := f.k.cancel(j, a)
		f.add("cancel", f.t.tone(say.tone, j), say.fit(200), 2)
		return
	}
	asked := f.when(c.RequestedAt) + " by " + f.k.who(c.By, c.From)
	if c.From != "" {
		asked += " from " + f.k.line(c.From)
	}
	f.add("asked", f.t.warn, asked, 2)
	f.add("reason", f.t.text, f.k.line(c.Reason), 3)
	switch {
	case neverStarted(j): // nobody could
	case !c.SeenAt.IsZero():
		f.add("seen", f.t.text, f.when(c.SeenAt)+", after "+lagText(c.SeenAt.Sub(c.RequestedAt)), 2)
	case j.StopsBy == core.StopsBySignal:
		f.add("seen", f.t.muted, "a plain process: it is ended by a signal", 2)
	case j.State == core.Cancelling && f.k.ago(c.RequestedAt) >= unseenAfter:
		f.add("seen", f.t.bad, "not seen yet"+f.k.sep+f.k.checkpoint(j), 2)
		f.add("", f.t.muted, f.advice(j), 3)
	case j.State == core.Cancelling:
		f.add("seen", f.t.muted, "not yet"+f.k.sep+f.k.checkpoint(j), 2)
	default:
		f.add("seen", f.t.muted, "never", 1)
	}
	switch {
	case !c.StoppedAt.IsZero() && c.Late:
		f.add("stopped", f.t.text, f.when(c.StoppedAt)+", cancel came too late", 2)
	case !c.StoppedAt.IsZero() && neverStarted(j):
		f.add("stopped", f.t.text, f.when(c.StoppedAt)+", before it started", 2)
	case !c.StoppedAt.IsZero() && gotSignal(j, c):
		f.add("stopped", f.t.text, f.when(c.StoppedAt)+", "+ending(j, c)+f.k.took(c), 2)
	case !c.StoppedAt.IsZero():
		f.add("stopped", f.t.text, f.when(c.StoppedAt)+", after "+f.k.lag(c), 2)
	default:
		f.add("stopped", f.t.muted, "not yet", 1)
	}
	if j.State.Terminal() {
		f.add("step", f.t.text, stepText(c), 1)
	} else {
		f.add("step", f.t.text, f.k.ladder(c), 2)
	}
}

// advice is what can be done about a cancel that nobody sees.
func (f *facts) advice(j *core.Job) string {
	c := j.Cancellation
	switch next := f.k.nextStep(c); {
	case next != "":
		return "wait for " + next + ", or press c for what can be done now"
	case killable(j):
		return "press c for what can be done now"
	}
	return nothingKills
}

func (f *facts) work(j *core.Job) {
	f.add("command", f.t.text, f.k.line(quoteCommand(j.Command)), 3)
	f.add("dir", f.t.text, f.k.line(j.Dir), 2)
}

// quoteCommand writes a command so that a shell would read it back.
func quoteCommand(argv []string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a != "" && !strings.ContainsAny(a, " \t\n'\"\\$&;|<>()*?[]#~`!{}") {
			b.WriteString(a)
		} else {
			b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
		}
	}
	return b.String()
}

// tail is the end of the log in n lines and its head.
func (f *facts) tail(g *logText, n int) []string {
	out := []string{paint(f.t.muted, "log")}
	lines := g.tail(n-1, f.k.cleaner)
	if len(lines) == 0 {
		return append(out, paint(f.t.muted, cut(g.emptyText(), f.w, f.t.dots)))
	}
	for _, l := range lines {
		out = append(out, paint(f.t.text, cut(l, f.w, f.t.dots)))
	}
	return out
}
