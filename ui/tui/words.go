package tui

import (
	"fmt"
	"time"
)

// clockText is a duration as on a stopwatch: 00:12, 12:05, 1:02:03.
func clockText(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// ageText is a duration in at most five cells: 00:12, 12:05, 1h02, 3d04h, 120d.
func ageText(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	switch {
	case s < 3600:
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh%02d", s/3600, s/60%60)
	case s < 10*86400:
		return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
	}
	return fmt.Sprintf("%dd", s/86400)
}

// liveText is the age of something that goes on, in at most five cells: from ten
// minutes on without seconds, so that a screen of long jobs is quiet.
func liveText(d time.Duration) string {
	if d >= quietAge && d < time.Hour {
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return ageText(d)
}

// spanText is a duration in words: 0.4 s, 45 s, 02:05.
func spanText(d time.Duration) string {
	switch d = max(d, 0); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d/time.Second))
	}
	return clockText(d)
}

// lagText is how long something took, to the millisecond below a second.
func lagText(d time.Duration) string {
	if d = max(d, 0); d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return spanText(d)
}

// countText is a number and its noun: "1 job", "3 jobs".
func countText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
