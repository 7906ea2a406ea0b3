package runner

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"dcctop/core"
)

// process is a started command and the Job Object that holds it and all that it
// starts. Its methods are called under the command's lock, but for waitLeader.
type process struct {
	cmd   *exec.Cmd
	marks []string // not used here: nothing leaves the Job Object
	tree  bool     // likewise
	pipes []string // likewise
	job   windows.Handle
}

// startProcess starts the command suspended, puts it into a Job Object that ends
// with this process, and only then lets it run: so nothing that it starts can be
// outside.
func startProcess(cmd *exec.Cmd, _ *census) (*process, error) {
	job, err := newJobObject()
	if err != nil {
		return nil, fmt.Errorf("job object: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	p := &process{cmd: cmd, job: job}
	if err := p.admit(); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		p.close()
		return nil, fmt.Errorf("job object: %w", err)
	}
	return p, nil
}

func newJobObject() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// admit puts the suspended process into the Job Object and lets it run.
func (p *process) admit() error {
	var err error
	if e := p.cmd.Process.WithHandle(func(h uintptr) {
		err = windows.AssignProcessToJobObject(p.job, windows.Handle(h))
	}); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	return resume(uint32(p.id()))
}

// resume lets the one thread of a suspended process run. Its handle is closed by
// the time os/exec returns, so it is looked for.
func resume(pid uint32) error {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snap)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snap, &entry); err == nil; err = windows.Thread32Next(snap, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return fmt.Errorf("no thread of process %d: %w", pid, err)
}

// id is the number of the process and of its console group.
func (p *process) id() int { return p.cmd.Process.Pid }

// waitLeader returns when the leader has exited, and leaves it to be reaped.
func (p *process) waitLeader() { p.waitFor(windows.INFINITE) }

// exited reports whether the leader has exited; it need not be reaped yet.
func (p *process) exited() bool { return p.waitFor(0) }

func (p *process) waitFor(ms uint32) (exited bool) {
	p.cmd.Process.WithHandle(func(h uintptr) {
		event, err := windows.WaitForSingleObject(windows.Handle(h), ms)
		exited = err == nil && event == windows.WAIT_OBJECT_0
	})
	return exited
}

// signal sends Ctrl+Break to the console group, which works where the dispatcher
// has a console, or ends the whole Job Object. It reports whether it was sent.
func (p *process) signal(step core.Step) bool {
	if step == core.StepKill {
		return windows.TerminateJobObject(p.job, 1) == nil
	}
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.id())) == nil
}

// alive reports whether a process of the Job Object is left.
func (p *process) alive() bool {
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		TotalUserTime, TotalKernelTime            int64
		PeriodUserTime, PeriodKernelTime          int64
		PageFaults, Processes, Active, Terminated uint32
	}
	err := windows.QueryInformationJobObject(p.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.Active > 0
}

// left returns nothing: what a Job Object holds is not named.
func (p *process) left() []core.Process { return nil }

// remind does nothing: Ctrl+Break reaches all of the console group at once.
func (p *process) remind() {}

func (p *process) close() { windows.CloseHandle(p.job) }

func signalOf(*os.ProcessState) string { return "" }

func pipeName(*os.File) string { return "" }

// noteKin does nothing: nothing leaves the Job Object.
func (p *process) noteKin() {}
