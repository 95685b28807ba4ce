package child

import "syscall"

// dieWithParent returns attributes that end a child with the thread that started it.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
