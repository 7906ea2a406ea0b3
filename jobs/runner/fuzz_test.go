package runner

import (
	"encoding/json"
	"strings"
	"testing"
)

// fuzzDecoder checks that nothing a program prints upsets its decoder, and that
// each progress is one that a feed can carry.
func fuzzDecoder(f *testing.F, program string, seeds ...string) {
	for _, text := range []string{"Fra:12 Sample 3/16\nSaved: 'x'\n", "frame=1\nout_time_us=5\nprogress=end\n",
		"  Duration: 00:00:10.00,\nframe=1 time=00:00:01.2 bitrate=1\r", "ALF_PROGRESS 45%\n45% done\n", "Append frame 12"} {
		for _, args := range seeds {
			f.Add(args, text)
		}
	}
	f.Fuzz(func(t *testing.T, args, text string) {
		got := read(t, append([]string{program}, strings.Split(args, " ")...), "", text)
		for i, p := range got.progress {
			if p.Current < 0 || p.Total < 0 {
				t.Errorf("negative: %v", p)
			}
			if _, err := json.Marshal(p); err != nil {
				t.Errorf("%v: %v", p, err)
			}
			if i > 0 && p == got.progress[i-1] {
				t.Errorf("%v sent twice", p)
			}
		}
	})
}

func FuzzBlender(f *testing.F) {
	fuzzDecoder(f, "blender", "-b x.blend -s 1 -e 40 -a", "-f 1..10,12 -j 2 -a", "")
}

func FuzzFFmpeg(f *testing.F) {
	fuzzDecoder(f, "ffmpeg", "-ss 1 -i a -t 10 b", "-loop 1 -i a -frames:v 10 b", "")
}

func FuzzPercent(f *testing.F) { fuzzDecoder(f, "husk", "") }

func FuzzExpression(f *testing.F) {
	f.Add(`(\d+) of (\d+)`, "3 of 8")
	f.Add(`([\d.]+)`, "3.5%")
	f.Add(`(.*)`, "1e999 nan -1")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		e, err := newExpression(pattern)
		if err != nil {
			return
		}
		if p, ok := e.decode(text); ok && (p.Current < 0 || p.Total < 0) {
			t.Errorf("negative: %v", p)
		} else if _, err := json.Marshal(p); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	})
}
