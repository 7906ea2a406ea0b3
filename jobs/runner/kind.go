package runner

import (
	"path"
	"slices"
	"strings"
)

// KindOf guesses what a command is from the name of its program: "blender" for
// /opt/blender-4.2/blender-4.2 and for Blender.exe, "command" for one that is
// not known. It looks through nice, env, xvfb-run and the like.
func KindOf(argv []string) string {
	if kind := kindAt(argv, programAt(argv)); kind != "" {
		return kind
	}
	return "command"
}

// NameOf returns what a job is called that nobody gave a name: the program's
// file name.
func NameOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	name := base(argv[0])
	if ext := path.Ext(name); strings.EqualFold(ext, ".exe") {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// programAt returns where the program that matters is in argv: 0, or behind a
// program that only calls another.
func programAt(argv []string) int {
	if len(argv) == 0 || kindOf(argv[0]) != wrapper {
		return 0
	}
	for i, arg := range argv[1:] {
		if strings.Contains(arg, "=") {
			continue // a setting, of env
		}
		if kind := kindOf(arg); kind != "" && kind != wrapper {
			return i + 1
		}
	}
	return 0
}

func kindAt(argv []string, i int) string {
	if i >= len(argv) {
		return ""
	}
	if kind := kindOf(argv[i]); kind != wrapper {
		return kind
	}
	return ""
}

// wrapper is the kind of a program that calls the one that matters.
const wrapper = "(wrapper)"

// kindOf looks a program up by its file name, then by that without a version or
// a suffix: blender-4.2, python3.11, Nuke15.0.
func kindOf(program string) string {
	name := strings.ToLower(base(program))
	for _, ext := range []string{".exe", ".bat", ".cmd", ".com"} {
		name = strings.TrimSuffix(name, ext)
	}
	for _, end := range []string{"", "0123456789", "-_"} {
		short := name
		if i := strings.IndexAny(name, end); i > 0 {
			short = strings.TrimRight(name[:i], "-_.")
		}
		if kind := kindOfName(short); kind != "" {
			return kind
		}
	}
	return ""
}

// kindOfName is the table of known programs.
func kindOfName(name string) string {
	for _, k := range []struct {
		kind  string
		names []string
	}{
		{"blender", []string{"blender"}},
		{"ffmpeg", []string{"ffmpeg"}},
		{"maya", []string{"maya", "mayabatch", "mayapy", "render"}},
		{"houdini", []string{"houdini", "hython", "hbatch", "husk", "mantra"}},
		{"arnold", []string{"kick"}},
		{"renderman", []string{"prman"}},
		{"nuke", []string{"nuke"}},
		{"3dsmax", []string{"3dsmax", "3dsmaxcmd", "3dsmaxbatch"}},
		{"cinema4d", []string{"commandline", "c4dpy"}},
		{"unreal", []string{"unrealeditor"}},
		{"python", []string{"python", "pypy"}},
		{"shell", []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "cmd", "powershell", "pwsh"}},
		{wrapper, []string{"env", "nice", "ionice", "nohup", "time", "timeout", "setsid", "stdbuf", "taskset", "chrt", "xvfb-run"}},
	} {
		if slices.Contains(k.names, name) {
			return k.kind
		}
	}
	return ""
}

// base returns the last element of a path of any system: the argument may name
// a program of another.
func base(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }
