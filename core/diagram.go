package core

import (
	"fmt"
	"strings"
)

// Diagram returns the transition table as a Mermaid state diagram, in the order
// of [States] and [Events]. Pairs that stay where they are are left out.
func Diagram() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n    [*] --> pending\n")
	for _, from := range States() {
		var targets []State
		labels := map[State][]string{}
		for _, e := range Events() {
			to, ok := from.Next(e)
			if !ok || to == from {
				continue
			}
			if labels[to] == nil {
				targets = append(targets, to)
			}
			labels[to] = append(labels[to], string(e))
		}
		for _, to := range targets {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from, to, strings.Join(labels[to], ", "))
		}
	}
	for _, s := range States() {
		if s.Terminal() {
			fmt.Fprintf(&b, "    %s --> [*]\n", s)
		}
	}
	return b.String()
}
