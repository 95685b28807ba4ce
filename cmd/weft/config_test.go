package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Flags whose name suggests a secret are masked by --print-config, except names of files, durations and switches.
func TestSecretsAreMasked(t *testing.T) {
	notSecret := []string{"token-life", "tls-key", "session-tokens"}
	line, err := parser(&commands{}).Parse([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	secretName := regexp.MustCompile(`password|secret|token|key`)
	masked := 0
	for _, flag := range line.Flags() {
		if flag.Tag.Has("secret") {
			masked++
		} else if secretName.MatchString(flag.Name) && !strings.HasSuffix(flag.Name, "-file") && !slices.Contains(notSecret, flag.Name) {
			t.Errorf(`--%s has no tag secret:""`, flag.Name)
		}
	}
	if masked == 0 {
		t.Error("no flag is masked, so the test proves nothing")
	}
}

func TestPasswordsInURLsAreMasked(t *testing.T) {
	for text, want := range map[string]string{
		"smtp://ann:hunter2@example.org":                               "smtp://ann:xxxxx@example.org",
		"postgres://db/weft?user=ann&password=hunter2&sslmode=require": "postgres://db/weft?user=ann&password=********&sslmode=require",
		"postgres://ann:hunter2@db/weft?sslpassword=hunter2":           "postgres://ann:xxxxx@db/weft?sslpassword=********",
		"https://ask.example.org/v1?api_key=hunter2":                   "https://ask.example.org/v1?api_key=********",
		"https://ask.example.org/v1?key=hunter2&alt=json":              "https://ask.example.org/v1?key=********&alt=json",
		"postgres://ann:hunter2%@db/weft":                              "postgres://ann:********@db/weft",
		"s3://backups/weft?endpoint=https://s3.test&region=eu":         "s3://backups/weft?endpoint=https://s3.test&region=eu",
		"postgres://ann@db/weft":                                       "postgres://ann@db/weft",
		"token=visible":                                                "token=visible",
	} {
		if got := withoutPassword(text); got != want {
			t.Errorf("%s is printed as %s; want %s", text, got, want)
		}
	}
}
