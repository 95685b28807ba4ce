package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// configured gives the flags of serve their values from the file that --config names. The command line wins
// over the environment, and the environment over the file.
type configured struct {
	read   bool
	err    error          // what is wrong with the file; kong would say that it is wrong with a flag
	values map[string]any // by the name of the flag
}

// Validate implements kong.Resolver.
func (*configured) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (c *configured) Resolve(line *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if line.Selected() == nil || line.Selected().Name != "serve" {
		return nil, nil //nolint:nilnil // kong's way to say that there is none
	}
	if !c.read {
		c.read = true
		if err := c.load(line); err != nil {
			c.err = misuse{err}
		}
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil //nolint:nilnil // as above
		}
	}
	return c.values[flag.Name], nil
}

func (c *configured) load(line *kong.Context) error {
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
		if !known[key] || slices.Contains(notSettings, key) {
			return fmt.Errorf("--config %s: there is no setting %q; weft serve --help lists them", path, key)
		}
	}
	return nil
}

// readConfig reads a file whose format its name says.
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
			if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
				err = errors.New("something stands behind the object")
			}
		}
	default:
		err = fmt.Errorf("its name ends in %q; want .yaml, .toml or .json", extension)
	}
	return tree, err
}

// flatten gives every value the name of its flag: what stands as cert under tls is tls-cert.
func flatten(into map[string]any, within string, tree map[string]any) error {
	for name, value := range tree {
		key := within + name
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
		if _, twice := into[key]; twice {
			return fmt.Errorf("%q is set twice", key)
		}
		into[key] = tree[name]
	}
	return nil
}

// printConfig prints what serve would run with, as YAML that --config reads: what is secret masked, and what is
// not set as a comment.
func printConfig(out io.Writer, line *kong.Context) error {
	for _, flag := range line.Flags() {
		if slices.Contains(notSettings, flag.Name) {
			continue
		}
		text, err := json.Marshal(shown(flag)) // JSON is YAML
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s: %s\n", flag.Name, text)
		if flag.Target.IsZero() && !flag.IsBool() {
			line = "# " + flag.Name + ":\n"
		}
		if _, err := io.WriteString(out, line); err != nil {
			return err
		}
	}
	return nil
}

// notSettings are flags that a file cannot set.
var notSettings = []string{"config", "print-config", "help", "version"}

const masked = "********"

// shown masks what is secret: flags with the tag secret, and passwords in URLs.
func shown(flag *kong.Flag) any {
	value := flag.Target.Interface()
	if text, ok := value.(fmt.Stringer); ok {
		value = text.String()
	}
	text, ok := value.(string)
	switch {
	case !ok || text == "":
		return value
	case flag.Tag.Has("secret"):
		return masked
	default:
		return withoutPassword(text)
	}
}

func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	return u.Redacted()
}
