package transport

import (
	"fmt"

	"dcctop/core"
)

// check holds parameters against what the types cannot say.
func check(params any) *Error {
	switch p := params.(type) {
	case *subscribeParams:
		if len(p.Resume) > MaxResume {
			return invalid(codeParams, "params.resume", "%d positions; at most %d", len(p.Resume), MaxResume)
		}
		if p.Filter != nil {
			return checkIDs("params.filter.ids", p.Filter.IDs)
		}
	case *core.CancelRequest:
		switch {
		case len(p.Reason) > MaxReason:
			return invalid(codeParams, "params.reason", "%d bytes; at most %d", len(p.Reason), MaxReason)
		case len(p.CommandID) > MaxCommandID:
			return invalid(codeParams, "params.command_id", "%d bytes; at most %d", len(p.CommandID), MaxCommandID)
		case p.GraceMS != nil && *p.GraceMS < 0:
			return invalid(codeParams, "params.grace_ms", "%d; give 0 or more milliseconds", *p.GraceMS)
		}
		return checkIDs("params.ids", p.IDs)
	case *core.Submission:
		switch {
		case len(p.Command) == 0 && p.Script == nil:
			return invalid(codeParams, "params.command", "missing; give the program and its arguments as an array of strings")
		case p.GraceMS != nil && *p.GraceMS < 0:
			return invalid(codeParams, "params.grace_ms", "%d; give 0 or more milliseconds", *p.GraceMS)
		case p.TimeoutMS < 0:
			return invalid(codeParams, "params.timeout_ms", "%d; give 0 (none) or more milliseconds", p.TimeoutMS)
		case p.Slots != nil && *p.Slots < 0:
			return invalid(codeParams, "params.slots", "%d; give 0 or more", *p.Slots)
		}
	case *core.RerunRequest:
		return checkID("params.id", p.ID)
	case *getParams:
		return checkID("params.id", p.ID)
	case *logParams:
		if p.From < 0 {
			return invalid(codeParams, "params.from", "%d; give an offset from 0 up", p.From)
		}
		return checkID("params.id", p.ID)
	}
	return nil
}

// checkIDs refuses an empty list: no id never means all.
func checkIDs(field string, ids []core.JobID) *Error {
	if len(ids) == 0 {
		return invalid(codeParams, field, "missing; name at least one job")
	}
	if len(ids) > MaxIDs {
		return invalid(codeParams, field, "%d ids; at most %d in one request", len(ids), MaxIDs)
	}
	for i, id := range ids {
		if err := checkID(fmt.Sprintf("%s[%d]", field, i), id); err != nil {
			return err
		}
	}
	return nil
}

func checkID(field string, id core.JobID) *Error {
	if id == "" {
		return invalid(codeParams, field, "missing; give the id of a job")
	}
	if len(id) > MaxID {
		return invalid(codeParams, field, "%d bytes; an id has at most %d", len(id), MaxID)
	}
	return nil
}
