package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// raisePriority moves this process and its children, which are the server and the attackers, to a new session with priority over
// all other sessions of the machine. Without this priority, times would depend more on other programs than on the server: a server
// under attack uses all available processor time, and then waits as long as every other program.
//
// Linux applies nice values within a session and compares sessions by a separate value (autogroup). The value 0 changes nothing.
func raisePriority(nice int) error {
	if nice == 0 {
		return nil
	}
	// Keys that interrupt a program reach only the session of the terminal. They end the parent process, and this process ends
	// with the parent.
	const setDeathSignal = 1
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setDeathSignal, uintptr(syscall.SIGTERM), 0); errno != 0 {
		return errno
	}
	if _, err := syscall.Setsid(); err != nil {
		return fmt.Errorf("starting a session, which the leader of a process group cannot do: %w", err)
	}
	return setSessionPriority(os.Getpid(), nice)
}

// setSessionPriority sets the priority of the session of a process relative to other sessions.
func setSessionPriority(pid, nice int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", pid), []byte(strconv.Itoa(nice)), 0o600); err != nil {
		return fmt.Errorf("setting the priority of a session to %d: %w", nice, err)
	}
	return nil
}
