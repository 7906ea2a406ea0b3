package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// keepLogs is how long the logs of an earlier run stay, from their last byte on.
// Nothing but a person who looks there finds them any more.
const keepLogs = 7 * 24 * time.Hour

// newLog returns the log of a job that starts.
func (d *Dispatcher) newLog(id core.JobID) *runner.Log {
	if d.opts.LogDir == "" {
		return runner.NewLog(d.opts.LogBytes)
	}
	return runner.NewFileLog(runner.LogFileOptions{
		Path:   filepath.Join(d.opts.LogDir, string(id)),
		Disk:   d.opts.LogDiskBytes,
		Memory: d.opts.LogBytes,
	})
}

// openLogDir makes the directory of the logs and removes the old ones in it.
func openLogDir(dir string, now time.Time) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("log dir: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("log dir: %w", err)
	}
	for _, f := range files {
		if !isLog(f.Name()) || !f.Type().IsRegular() {
			continue
		}
		info, err := f.Info()
		if err != nil || now.Sub(info.ModTime()) < keepLogs {
			continue // or another dispatcher was quicker
		}
		_ = os.Remove(filepath.Join(dir, f.Name())) // the next start tries again
	}
	return nil
}

// isLog reports whether a file is named as the log of a job is.
func isLog(name string) bool {
	id, ok := strings.CutSuffix(name, ".log")
	if !ok {
		return false
	}
	_, err := ulid.ParseStrict(strings.TrimSuffix(id, ".old"))
	return err == nil
}

// closeLog closes the log of a job that is over, and dropLog removes that of one
// that is purged. Errors are nobody's: the job is over, and a log that stays
// behind is removed by a later start.
func (e *entry) closeLog() {
	if e.log != nil {
		_ = e.log.Close()
	}
}

func (e *entry) dropLog() {
	if e.log != nil {
		_ = e.log.Remove()
	}
}

// logPiece is the most that one call of Log returns.
const logPiece = 64 << 10

// Log returns the output of a job from an offset on, in pieces of at most 64
// KiB. Where the output from there is no longer kept the piece starts later, as
// its From says. A job that has printed nothing gives an empty piece. The error
// wraps [core.ErrNotFound] or [core.ErrInvalid], or tells that the disk on which
// the log is cannot be read.
func (d *Dispatcher) Log(ctx context.Context, id core.JobID, from int64) (core.LogChunk, error) {
	if err := ctx.Err(); err != nil {
		return core.LogChunk{}, err
	}
	if from < 0 {
		return core.LogChunk{}, invalid("from", "%d is below 0; give the offset to read from, 0 for the start", from)
	}
	d.mu.Lock()
	e, err := d.find(id)
	if err != nil {
		d.mu.Unlock()
		return core.LogChunk{}, err
	}
	log, over := e.log, e.job.State.Terminal()
	d.mu.Unlock()

	chunk := core.LogChunk{ID: id, End: over}
	if log == nil {
		return chunk, nil
	}
	chunk.Data, chunk.Next, err = log.Read(from, logPiece)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) { // it may have been purged just now
			if _, gone := d.Get(ctx, id); gone != nil {
				err = gone
			}
		}
		return core.LogChunk{}, err
	}
	chunk.From = chunk.Next - int64(len(chunk.Data))
	chunk.End = over && chunk.Next >= log.End()
	return chunk, nil
}
