package child

import "syscall"

// dieWithParent ends a child with the thread that began it.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
