// Command dcctop is htop for DCC jobs: it runs them, shows them live, and
// cancels them from the keyboard.
package main

import (
	"context"
	"os"

	"dcctop/ui/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
