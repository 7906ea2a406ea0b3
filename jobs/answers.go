package jobs

import "dcctop/core"

// The most that answers remembers, of commands and of outcomes in them.
const (
	keepCommands = 1024
	keepOutcomes = 1 << 17
)

// answers remembers what the last commands were answered, so that a repeat is
// harmless. The dispatcher's mutex guards it. The zero value is empty.
type answers struct {
	byCommand map[command]*answer
	settled   []*answer // the oldest first
	outcomes  int       // in settled
}

// command names a command: the id is the actor's own.
type command struct {
	by core.Actor
	id string
}

type answer struct {
	command  command
	given    chan struct{} // closed when outcomes is set
	outcomes []core.CancelOutcome
}

// open returns the answer to a command, and true when it is a repeat. The
// caller of the first must settle it.
func (m *answers) open(c command) (*answer, bool) {
	if a := m.byCommand[c]; a != nil {
		return a, true
	}
	if m.byCommand == nil {
		m.byCommand = make(map[command]*answer)
	}
	a := &answer{command: c, given: make(chan struct{})}
	m.byCommand[c] = a
	return a, false
}

// settle gives an answer, and forgets the oldest when there are too many.
func (m *answers) settle(a *answer, outcomes []core.CancelOutcome) {
	a.outcomes = outcomes
	close(a.given)
	m.settled = append(m.settled, a)
	m.outcomes += len(outcomes)
	for len(m.settled) > 1 && (len(m.settled) > keepCommands || m.outcomes > keepOutcomes) {
		old := m.settled[0]
		m.settled[0] = nil
		m.settled = m.settled[1:]
		m.outcomes -= len(old.outcomes)
		delete(m.byCommand, old.command)
	}
}
