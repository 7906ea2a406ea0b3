package runner

// helper does nothing here: a Job Object ends with the process that holds it.
type helper struct{}

func startHelper(string) (*helper, error) { return &helper{}, nil }

func (h *helper) alive() bool            { return h != nil }
func (h *helper) dead() <-chan struct{}  { return nil } // never
func (h *helper) tell(string, int) error { return nil }
func (h *helper) kill()                  {}
func (h *helper) close() error           { return nil }
