//go:build !linux

package pgtest

import "syscall"

func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
