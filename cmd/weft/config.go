package main

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/weft-graph/weft/internal/server"
)

// configFile sets the flags of serve from the file of --config. The command line takes precedence over the environment,
// and the environment over the file.
type configFile struct {
	loaded bool
	err    error          // error in the file; kong would report it as the error of a flag
	values map[string]any // keyed by the name of the flag
}

// Validate implements kong.Resolver.
func (*configFile) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (c *configFile) Resolve(line *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if line.Selected() == nil || line.Selected().Name != "serve" {
		return nil, nil //nolint:nilnil // in kong, nil means "not set here"
	}
	if !c.loaded {
		c.loaded = true
		if err := c.load(line); err != nil {
			c.err = usageError{err}
		}
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil //nolint:nilnil // as above
		}
	}
	return c.values[flag.Name], nil
}

// load reads the file that --config names, if any, and sets values. It rejects unknown settings.
func (c *configFile) load(line *kong.Context) error {
	var path string
	known := map[string]bool{}
	for _, flag := range line.Flags() {
		known[flag.Name] = true
		if flag.Name == "config" {
			path, _ = line.FlagValue(flag).(string)
		}
	}
	if path == "" {
		return nil
	}
	tree, err := readConfig(path)
	if err != nil {
		return fmt.Errorf("--config %s: %w", path, err)
	}
	c.values = map[string]any{}
	if err := flatten(c.values, "", tree); err != nil {
		return fmt.Errorf("--config %s: %w", path, err)
	}
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if !known[key] || slices.Contains(flagsOutsideFile, key) {
			return fmt.Errorf("--config %s: unknown setting %q; weft serve --help lists all", path, key)
		}
	}
	return nil
}

// readConfig reads the file as YAML, TOML or JSON, depending on its extension.
func readConfig(path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	switch extension := filepath.Ext(path); extension {
	case ".yaml", ".yml":
		err = yaml.Unmarshal(text, &tree)
	case ".toml":
		err = toml.Unmarshal(text, &tree)
	case ".json":
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		if err = decoder.Decode(&tree); err == nil {
			if _, tokenErr := decoder.Token(); !errors.Is(tokenErr, io.EOF) {
				err = errors.New("unexpected data after the JSON object")
			}
		}
	default:
		err = fmt.Errorf("unknown extension %q; want .yaml, .toml or .json", extension)
	}
	return tree, err
}

// flatten adds the settings of a tree to into, by the name of the flag: cert under tls becomes tls-cert. It prefixes each name
// with prefix and converts values to text. A setting without a value, or a setting that is set twice, is an error.
func flatten(into map[string]any, prefix string, tree map[string]any) error {
	for name, value := range tree {
		key := prefix + name
		switch value := value.(type) {
		case map[string]any:
			if err := flatten(into, key+"-", value); err != nil {
				return err
			}
			continue
		case []any:
			list := make([]any, len(value))
			for i, item := range value {
				list[i] = fmt.Sprint(item)
			}
			tree[name] = list
		case nil:
			return fmt.Errorf("%q has no value", key)
		default:
			tree[name] = fmt.Sprint(value)
		}
		if _, exists := into[key]; exists {
			return fmt.Errorf("%q is set twice", key)
		}
		into[key] = tree[name]
	}
	return nil
}

// printConfig prints the effective settings of serve as YAML that --config can read. Secrets are masked; settings without
// a value are printed as comments.
func printConfig(out io.Writer, line *kong.Context) error {
	for _, flag := range line.Flags() {
		if slices.Contains(flagsOutsideFile, flag.Name) {
			continue
		}
		text, err := json.Marshal(printableValue(flag)) // JSON is YAML
		if err != nil {
			return err
		}
		setting := fmt.Sprintf("%s: %s\n", flag.Name, text)
		if flag.Target.IsZero() && !flag.IsBool() {
			setting = "# " + flag.Name + ":\n"
		}
		if _, err := io.WriteString(out, setting); err != nil {
			return err
		}
	}
	return nil
}

// settingsOf returns the effective settings of serve for admins, with secrets masked.
func settingsOf(line *kong.Context) []server.Setting {
	var all []server.Setting
	for _, flag := range line.Flags() {
		if slices.Contains(flagsOutsideFile, flag.Name) && flag.Name != "config" {
			continue
		}
		s := server.Setting{Name: flag.Name, Value: printableValue(flag), Default: flag.Default, Source: sourceOf(line, flag), Help: flag.Help}
		if _, isText := s.Value.(encoding.TextMarshaler); !isText {
			if kind := reflect.ValueOf(s.Value).Kind(); kind == reflect.Struct || kind == reflect.Map {
				s.Value = fmt.Sprint(s.Value)
			}
		}
		if duration, ok := s.Value.(time.Duration); ok {
			s.Value = duration.String()
		}
		if flag.Group != nil {
			s.Group = flag.Group.Title
		}
		if len(flag.Envs) > 0 {
			s.Environment = flag.Envs[0]
		}
		all = append(all, s)
	}
	return all
}

// sourceOf returns the source of the value of a flag: "flag", "environment", "file" or "default".
func sourceOf(line *kong.Context, flag *kong.Flag) string {
	source := "default"
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			source = "environment"
		}
	}
	for _, p := range line.Path {
		switch {
		case p.Flag != flag:
		case p.Resolved:
			source = "file"
		default:
			return "flag"
		}
	}
	return source
}

// flagsOutsideFile lists the flags that a configuration file cannot set.
var flagsOutsideFile = []string{"config", "print-config", "help", "version"}

const mask = "********"

// printableValue returns the value of a flag to print. It masks flags with the tag secret and passwords in URLs.
func printableValue(flag *kong.Flag) any {
	value := flag.Target.Interface()
	if text, ok := value.(fmt.Stringer); ok {
		value = text.String()
	}
	text, ok := value.(string)
	switch {
	case !ok || text == "":
		return value
	case flag.Tag.Has("secret"):
		return mask
	default:
		return withoutPassword(text)
	}
}

// withoutPassword masks the password of a URL, and the values of parameters that are named like secrets. It returns any other
// text unchanged.
func withoutPassword(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	address, query, _ := strings.Cut(text, "?")
	if hidden := secretParameters.ReplaceAllString(query, "${1}"+mask); hidden != query {
		text = address + "?" + hidden
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return malformedPassword.ReplaceAllString(text, "${1}"+mask+"@")
	case u.User == nil:
		return text
	default:
		return u.Redacted()
	}
}

var (
	// secretParameters matches parameters of a query in which databases expect a password, and other services a token or key.
	secretParameters = regexp.MustCompile(`(?i)((?:^|&)(?:[^=&]*(?:password|passwd|secret|token|signature)[^=&]*|(?:api|access)?[-_]?key)=)[^&]*`)
	// malformedPassword matches the password in text that cannot be parsed as a URL, for example because the password contains a %.
	malformedPassword = regexp.MustCompile(`(://[^:/@]*:).*@`)
)
