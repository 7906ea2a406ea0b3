package core

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is an instant in whole milliseconds since the Unix epoch. Zero means
// absent. It is an integer rather than a [time.Time] so that records compare
// with == and a record read back from the wire equals the one that was sent.
type Time int64

// wireTime is RFC 3339 in UTC with exactly three digits of a second.
const wireTime = "2006-01-02T15:04:05.000Z"

// At returns t in whole milliseconds; the zero time.Time becomes absent.
func At(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Std returns t as a [time.Time] in UTC; absent becomes the zero time.Time.
func (t Time) Std() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// IsZero reports whether t is absent.
func (t Time) IsZero() bool { return t == 0 }

// Sub returns the duration t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Millisecond }

// Add returns t+d, in whole milliseconds.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// String returns the wire form, or "" when absent.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format(wireTime)
}

// MarshalJSON writes the wire form: RFC 3339, UTC, milliseconds. An absent
// time in a field without omitzero becomes null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads any RFC 3339 time, of any zone and precision, and keeps
// whole milliseconds of it.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("time %s: not a string", b)
	}
	parsed, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("time %q: not RFC 3339", s)
	}
	if year := parsed.UTC().Year(); year < 0 || year > 9999 {
		return fmt.Errorf("time %q: year outside 0 to 9999", s)
	}
	*t = At(parsed)
	return nil
}
