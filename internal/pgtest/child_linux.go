package pgtest

import "syscall"

// dieWithParent returns attributes with which the system ends a child when the thread that started it ends, so that no
// server outlives a killed test.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} }
