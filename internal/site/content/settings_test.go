package content

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/site/page"
)

// TestSettingsAreEverywhere checks the places that the comment on page.Settings names.
func TestSettingsAreEverywhere(t *testing.T) {
	const browser, console, guide = "../../../web/react/src/page/page.ts", "../../../web/console/src/content/api.ts", "../../../docs/content.md"
	inBrowser, inConsole, inGuide := readRepositoryFile(t, browser), readRepositoryFile(t, console), readRepositoryFile(t, guide)
	_, records, _ := strings.Cut(inGuide, "| page | ")
	records, _, _ = strings.Cut(records, "\n")
	inFile := reflect.TypeFor[Page]()
	for setting := range reflect.TypeFor[page.Settings]().Fields() {
		relation := setting.Tag.Get("relation")
		if setting.Type.Kind() != reflect.String {
			continue
		}
		if relation == "" {
			t.Errorf("Settings.%s has no tag relation", setting.Name)
		}
		name := memberName(setting)
		if field, ok := inFile.FieldByName(setting.Name); !ok || memberName(field) != name || field.Tag.Get("relation") != relation {
			t.Errorf("content.Page has no field %s with the member %s and the relation %s", setting.Name, name, relation)
		}
		if !strings.Contains(inBrowser, "'"+name+"',\n") {
			t.Errorf("%s does not read %q", browser, name)
		}
		if !regexp.MustCompile(`(?m)^  readonly ` + name + `\??: string$`).MatchString(inConsole) {
			t.Errorf("PageSettings in %s has no member %q", console, name)
		}
		if !strings.Contains(inGuide, "`"+name+"`") || !strings.Contains(records, "_"+relation+"`") {
			t.Errorf("%s does not document the member %s and the relation _%s", guide, name, relation)
		}
	}
	for field := range inFile.Fields() {
		if _, ok := reflect.TypeFor[page.Settings]().FieldByName(field.Name); !ok && field.Tag.Get("relation") != "" {
			t.Errorf("page.Settings has no field %s", field.Name)
		}
	}
}

// memberName returns the name of a field in JSON.
func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

func readRepositoryFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
