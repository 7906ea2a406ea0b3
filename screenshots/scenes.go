package main

import (
	"fmt"
	"strings"
	"time"

	"dcctop/ui/tui/tuitest"
)

// scene is one run of the program, of which several pictures may be taken.
type scene struct {
	name string
	play func(*camera)
}

func scenes() []scene {
	return []scene{
		{"dark", dark},
		{"light", light},
		{"plain", plain},
		{"stale", stale},
	}
}

// Jobs of the demo that the scenes are about.
const (
	listens = "fx_galaxy_v007"     // looks at its token all the time
	deaf    = "fx_dust_v003"       // never looks
	fails   = "shot_030_comp_v012" // ends by itself, in failed
	frame   = "shot_010_beauty"    // a parent with frames
)

// demo starts the demo on a terminal.
func (c *camera) demo(o tuitest.Options, env ...string) *tuitest.Program {
	o.NoHistory, o.Timeout = true, 3*time.Minute
	all, err := c.stage.Env("demo", env...)
	c.must(err)
	x := tuitest.StartWith(c.t, o, tuitest.Command{
		Argv: []string{c.stage.Program, "demo", "--dir", "renders"},
		Dir:  c.stage.Dir,
		Env:  all,
	})
	return x
}

// warm waits until there is something to see in every state that the demo
// reaches without help.
func warm(x *tuitest.Program) {
	x.WaitLine(fails, "failed")
	x.WaitLine(listens, "running", "%")
	x.WaitFor("a finished frame", func(s string) bool { return strings.Contains(s, "completed") })
}

// guard is a little longer than a dialog takes no key after it opened.
const guard = 400 * time.Millisecond

func (c *camera) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.ctx.Done():
		c.t.Fatalf("interrupted")
	}
}

// cancel cancels the job with a name, which is then the only one shown.
func (c *camera) cancel(x *tuitest.Program, name string) {
	find(x, name)
	x.Type("c")
	x.WaitText("cancel this job?")
	c.pause(guard)
	x.Type("y")
	x.WaitGone("cancel this job?")
}

// find puts the cursor on the job with a name and leaves the list filtered.
func find(x *tuitest.Program, name string) {
	x.Type("/")
	x.WaitText("filter:")
	x.Type(name)
	x.Key("enter")
	x.WaitGone("filter:")
	x.WaitText(name)
}

// dark plays the whole life of a cancel.
func dark(c *camera) {
	x := c.demo(tuitest.Options{Width: 160, Height: 48})
	warm(x)
	c.cancel(x, listens)
	x.WaitLine(listens, "cancelled")
	x.Key("enter")
	x.WaitText("stopped")
	x.Key("esc", "esc")
	x.WaitText(frame)
	c.cancel(x, deaf)
	x.WaitLine(deaf, "cancelling")
	x.WaitText("not seen yet") // after ten seconds
	x.Key("esc", "g")
	x.WaitText(frame)
	c.pause(2 * time.Second)
	c.snap(x, "list-dark-160x48")

	x.Resize(80, 24)
	c.pause(time.Second)
	c.snap(x, "list-dark-80x24")
	x.Resize(40, 10)
	c.pause(time.Second)
	c.snap(x, "list-dark-40x10")

	x.Resize(160, 48)
	find(x, listens)
	x.Key("enter")
	x.WaitText("stopped")
	x.Key("esc")
	x.Key("esc")
	x.WaitText(frame)
	x.Key("enter")
	x.WaitText("details")
	c.pause(time.Second)
	c.snap(x, "detail-dark-160x48")
	x.Key("esc")

	x.Type("/")
	x.Type(frame)
	x.Key("enter", "g")
	x.WaitGone("filter:")
	x.Resize(100, 30)
	c.pause(time.Second) // or the dialog says that the list has just moved
	x.Type("c")
	x.WaitText("cancel this job?")
	c.pause(guard)
	c.snap(x, "confirm-dark-100x30")
	x.Key("esc", "esc")
	x.WaitGone("cancel this job?")
	x.Type("?")
	c.pause(guard)
	c.snap(x, "help-dark-100x30")
	x.Key("esc")
	x.Type("q")
	x.Wait()
}

func light(c *camera) {
	x := c.demo(tuitest.Options{Width: 160, Height: 48, Light: true})
	warm(x)
	c.cancel(x, listens)
	x.WaitLine(listens, "cancelled")
	x.Key("esc", "g")
	c.pause(time.Second)
	c.snap(x, "list-light-160x48")
	x.Type("q")
	x.Wait()
}

// plain is a terminal whose user wants no colours.
func plain(c *camera) {
	x := c.demo(tuitest.Options{Width: 80, Height: 24}, "NO_COLOR=1")
	warm(x)
	c.cancel(x, deaf)
	x.WaitLine(deaf, "cancelling")
	x.Key("esc")
	c.pause(time.Second)
	c.snap(x, "list-no-color-80x24")
	x.Type("q")
	x.Wait()
}

// stale is a monitor whose dispatcher has gone.
func stale(c *camera) {
	env, err := c.stage.Env("user")
	c.must(err)
	serve := tuitest.StartWith(c.t, tuitest.Options{Width: 100, Timeout: time.Minute},
		tuitest.Command{Argv: []string{c.stage.Program, "serve", "--listen", "127.0.0.1:0"}, Env: env})
	serve.WaitText("listens on")
	for i, script := range []string{"turntable", "playblast", "cache", "bake"} {
		run := tuitest.StartWith(c.t, tuitest.Options{Width: 100, Timeout: time.Minute}, tuitest.Command{
			Argv: []string{c.stage.Program, "run", "--name", fmt.Sprintf("sh%03d_%s_v001", 10*(i+1), script), "--progress", `frame (\d+)/(\d+)`, "--",
				"sh", "-c", `i=0; while [ $i -lt 240 ]; do i=$((i+1)); echo "frame $i/240"; sleep 0.1; done`}, Env: env,
		})
		if code := run.Wait(); code != 0 {
			c.t.Fatalf("dcctop run: exit code %d\n%s", code, run.Text())
		}
	}
	x := tuitest.StartWith(c.t, tuitest.Options{Width: 100, Height: 30, NoHistory: true, Timeout: time.Minute},
		tuitest.Command{Argv: []string{c.stage.Program}, Env: env})
	x.WaitText("%")
	c.pause(3 * time.Second)
	c.must(serve.Kill())
	x.WaitText("not connected since")
	x.WaitText("stale 00:05")
	x.Type("c")
	c.pause(time.Second)
	c.snap(x, "stale-dark-100x30")
	x.Type("q")
	x.Wait()
}
