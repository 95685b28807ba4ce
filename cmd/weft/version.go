package main

import (
	"runtime/debug"
	"strings"
)

// version returns the version of the module, the revision if the build recorded it, and the version of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "weft, without build information"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	words := []string{"weft", info.Main.Version}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			words = append(words, "revision", s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "(modified)")
		}
	}
	return strings.Join(append(words, info.GoVersion), " ")
}
