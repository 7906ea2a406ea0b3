package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/ui/tui"
)

// format is how a reading command prints.
type format struct{ json, ndjson bool }

// flags adds --json, and --ndjson where there is more than one thing to print.
func (f *format) flags(cmd *cobra.Command, stream bool) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	if stream {
		cmd.Flags().BoolVar(&f.ndjson, "ndjson", false, "print one JSON object a line")
	}
}

func (f *format) validate(cmd *cobra.Command) error {
	if f.json && f.ndjson {
		return usage(cmd, errors.New("--json and --ndjson: give one of them"))
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	enc := encoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func printLine(w io.Writer, v any) error {
	return encoder(w).Encode(v)
}

// printList prints items as the format says, or each through line.
func printList[T any](w io.Writer, f format, items []T, text func(io.Writer, []T) error) error {
	switch {
	case f.json:
		if items == nil {
			items = []T{} // an empty list is [] in JSON, never null
		}
		return printJSON(w, items)
	case f.ndjson:
		for _, item := range items {
			if err := printLine(w, item); err != nil {
				return err
			}
		}
		return nil
	}
	return text(w, items)
}

// age is the time that a job has been what it is, for a person.
func age(j *core.Job, now time.Time) string {
	from, to := j.CreatedAt, core.At(now)
	if !j.StartedAt.IsZero() {
		from = j.StartedAt
	}
	if !j.FinishedAt.IsZero() {
		to = j.FinishedAt
	}
	return duration(to.Sub(from))
}

func duration(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	if d >= 24*time.Hour {
		return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
	if d >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%02d:%02d", d/time.Minute, d%time.Minute/time.Second)
}

func progress(j *core.Job) string {
	p := j.Progress
	if p != nil && p.Total > 0 && j.State == core.Completed {
		return "100%" // whatever the last line of a renderer said
	}
	if fraction, ok := p.Fraction(); ok {
		fraction = math.Floor(fraction*100) / 100 // 100 % is only what is whole
		return fmt.Sprintf("%3.0f%%", fraction*100)
	}
	if p != nil {
		return strings.TrimSpace(fmt.Sprintf("%g %s", p.Current, tui.Clean(p.Unit)))
	}
	return "-"
}

// cancelText says how far a cancel is, in one phrase.
func cancelText(j *core.Job, now time.Time) string {
	c := j.Cancellation
	if c == nil {
		return ""
	}
	by := "by " + tui.Clean(c.By)
	switch {
	case c.Late:
		return "cancel " + by + " came too late"
	case j.State == core.Cancelling && !c.SeenAt.IsZero():
		return "asked " + by + ", seen, not stopped yet"
	case j.State == core.Cancelling && j.StopsBy == core.StopsBySignal:
		return "asked " + by + ", " + stepText(c.Step)
	case j.State == core.Cancelling:
		return "asked " + by + " " + duration(core.At(now).Sub(c.RequestedAt)) + " ago, not seen yet"
	}
	return by
}

func stepText(s core.Step) string {
	switch s {
	case core.StepTerm:
		return "SIGTERM sent"
	case core.StepKill:
		return "SIGKILL sent"
	}
	return "token set"
}
