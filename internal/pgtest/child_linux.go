package pgtest

import "syscall"

// dieWithParent ends a child with the thread that began it, so that a killed test leaves no server behind.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} }
