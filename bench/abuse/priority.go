package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// raisePriority gives this process and its children, which are the server and the attackers, a session of their own with a priority
// over all other sessions of the machine. Where other programs run, times would otherwise tell more of them than of the
// server: a server that is attacked uses as much processor time as it gets, and then waits as long as all others.
//
// Linux applies nice values within a session and compares sessions by a value of their own (autogroup). The value 0 changes nothing.
func raisePriority(nice int) error {
	if nice == 0 {
		return nil
	}
	// Keys that interrupt a program reach the session of the terminal only. The parent ends by them, and with it this process.
	const setDeathSignal = 1
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setDeathSignal, uintptr(syscall.SIGTERM), 0); errno != 0 {
		return errno
	}
	if _, err := syscall.Setsid(); err != nil {
		return fmt.Errorf("starting a session, which the leader of a process group cannot do: %w", err)
	}
	return setSessionPriority(os.Getpid(), nice)
}

// setSessionPriority sets the priority of the session of a process beside other sessions.
func setSessionPriority(pid, nice int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", pid), []byte(strconv.Itoa(nice)), 0o600); err != nil {
		return fmt.Errorf("setting the priority of a session to %d: %w", nice, err)
	}
	return nil
}
