package runner

import (
	"os"
	"sync"
	"testing"
	"testing/synctest"
)

func TestWhoAsksDuringALookSharesTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		looks := 0
		c := counting{count: func() *table {
			looks++
			mine := &table{procs: map[int]proc{looks: {}}}
			<-gate
			return mine
		}}
		var wg sync.WaitGroup
		got := make(chan *table, 12)
		ask := func() { wg.Go(func() { got <- c.next() }) }
		ask()
		synctest.Wait()
		for range 10 {
			ask()
		}
		synctest.Wait()
		gate <- struct{}{}
		if _, first := (<-got).procs[1]; !first {
			t.Error("the first did not get the look that was begun for it")
		}
		gate <- struct{}{}
		wg.Wait()
		for range 10 {
			if _, second := (<-got).procs[2]; !second {
				t.Error("a look that was under way was taken for one begun afterwards")
			}
		}
		if looks != 2 {
			t.Errorf("%d looks", looks)
		}
		ask()
		gate <- struct{}{}
		wg.Wait()
		if _, third := (<-got).procs[3]; !third {
			t.Error("an old look was given")
		}
	})
}

func TestALookFindsThisMachinesProcesses(t *testing.T) {
	c := newCensus()
	other := sleeper(t)
	for _, table := range []*table{c.quick(), c.thorough()} {
		p, ok := table.procs[other]
		if !ok || p.parent != os.Getpid() || p.group != other || p.start == 0 {
			t.Errorf("process %d: %+v, %v", other, p, ok)
		}
		if _, ok := table.procs[os.Getpid()]; ok {
			t.Error("the dispatcher itself is in it")
		}
	}
}
