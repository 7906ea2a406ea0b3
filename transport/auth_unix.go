//go:build !windows

package transport

// privateModes says that a file's mode tells who can read it.
const privateModes = true
