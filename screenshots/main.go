// Command screenshots takes every picture in this folder of the real program on
// a pseudo-terminal: go run ./screenshots
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"dcctop/screenshots/picture"
	"dcctop/screenshots/stage"
	"dcctop/ui/tui/tuitest"
)

func main() {
	out := flag.String("o", "", "the folder for the pictures (default: screenshots of the module)")
	only := flag.String("only", "", "scenes to play, separated by commas (default: all)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *only, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, out, only string, log io.Writer) (err error) {
	st, err := stage.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if out == "" {
		out = filepath.Join(st.Root, "screenshots")
	}
	painter, err := picture.New()
	if err != nil {
		return err
	}
	wanted := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	for _, s := range scenes() {
		if len(wanted) > 0 && !slices.Contains(wanted, s.name) {
			continue
		}
		err := stage.Play(func(t tuitest.T) {
			s.play(&camera{t: t, ctx: ctx, stage: st, painter: painter, dir: out, log: log})
		})
		if err != nil {
			return fmt.Errorf("scene %s: %w", s.name, err)
		}
	}
	return nil
}

// camera is what a scene works with.
type camera struct {
	t       tuitest.T
	ctx     context.Context
	stage   *stage.Stage
	painter *picture.Painter
	dir     string
	log     io.Writer
}

func (c *camera) must(err error) {
	if err != nil {
		c.t.Fatalf("%v", err)
	}
}

// snap takes a picture of what the terminal shows.
func (c *camera) snap(x *tuitest.Program, name string) {
	file := filepath.Join(c.dir, name+".png")
	f, err := os.Create(file)
	c.must(err)
	err = picture.Encode(f, c.painter.Draw(x.Screen(), x.Theme()))
	c.must(errors.Join(err, f.Close()))
	info, err := os.Stat(file)
	c.must(err)
	fmt.Fprintf(c.log, "%-28s %4d kB\n", name+".png", info.Size()/1000)
}
