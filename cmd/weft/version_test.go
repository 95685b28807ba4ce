package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionNamesTheRevisionOfTheBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v0.1.0"}}
	if got, want := versionOf(info), "weft v0.1.0 go1.26.0"; got != want {
		t.Errorf("without a revision the version is %q; want %q", got, want)
	}
	info.Settings = []debug.BuildSetting{
		{Key: "-compiler", Value: "gc"},
		{Key: "vcs.revision", Value: "0123abcd"},
		{Key: "vcs.modified", Value: "true"},
	}
	if got, want := versionOf(info), "weft v0.1.0 revision 0123abcd (modified) go1.26.0"; got != want {
		t.Errorf("with a revision the version is %q; want %q", got, want)
	}
}
