package jobs

import "container/heap"

// queue is the jobs that wait for slots, the next one first: by priority, then
// by order of submission. The dispatcher's mutex guards it.
type queue struct{ waiting entries }

func (q *queue) push(e *entry) { heap.Push(&q.waiting, e) }

// head returns the next job without taking it, or nil.
func (q *queue) head() *entry {
	if len(q.waiting) == 0 {
		return nil
	}
	return q.waiting[0]
}

// remove takes e out, wherever it stands. It does nothing when e is not in it.
func (q *queue) remove(e *entry) {
	if i := e.work.place; i >= 0 {
		heap.Remove(&q.waiting, i)
	}
}

// entries is a heap for container/heap.
type entries []*entry

func (h entries) Len() int { return len(h) }

func (h entries) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.job.Priority != b.job.Priority {
		return a.job.Priority > b.job.Priority
	}
	return a.born < b.born
}

func (h entries) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].work.place, h[j].work.place = i, j
}

func (h *entries) Push(x any) {
	e := x.(*entry)
	e.work.place = len(*h)
	*h = append(*h, e)
}

func (h *entries) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	e.work.place = -1
	return e
}
