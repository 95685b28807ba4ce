package main

import (
	"regexp"
	"strings"
	"testing"
)

// What sounds like a secret is masked by --print-config, unless it names a file or a time.
func TestSecretsAreMasked(t *testing.T) {
	line, err := parser(&commands{}).Parse([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	sounds := regexp.MustCompile(`password|secret|token|key`)
	masked := 0
	for _, flag := range line.Flags() {
		if flag.Tag.Has("secret") {
			masked++
		} else if sounds.MatchString(flag.Name) && !strings.HasSuffix(flag.Name, "-file") && flag.Name != "token-life" && flag.Name != "tls-key" {
			t.Errorf(`--%s has no tag secret:""`, flag.Name)
		}
	}
	if masked == 0 {
		t.Error("no flag is masked; the test proves nothing")
	}
}
