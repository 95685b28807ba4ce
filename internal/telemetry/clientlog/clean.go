package clientlog

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

const (
	// maxText is the maximum length of cleaned text, in bytes. Twice as many bytes are examined before the text is
	// cut, so that a secret that extends across the cut is recognised completely.
	maxText = 4 << 10
	// maxDepth is the maximum nesting of cleaned values; deeper values are replaced.
	maxDepth = 16
)

const (
	redacted = "[redacted]"
	clipped  = "[clipped]"
)

// cleanEntry returns an entry without secrets, cut to the maximum size. Unknown members are kept.
func cleanEntry(entry json.RawMessage) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(entry))
	decoder.UseNumber()
	var members map[string]any
	if err := decoder.Decode(&members); err != nil || members == nil {
		return nil, graph.Errorf(graph.Invalid, "%q is not a JSON object", graph.Clip(string(entry)))
	}
	remaining := maxEntry
	return encode(cleanObject(members, 0, &remaining)), nil
}

// cleanObject cleans members, the common members first, and subtracts their size from remaining. It leaves out members
// that no longer fit.
func cleanObject(members map[string]any, depth int, remaining *int) map[string]any {
	clean := make(map[string]any, len(members))
	isSignIn := false
	if name, ok := members["functionName"].(string); ok {
		isSignIn = signIn.MatchString(name)
	}
	for _, name := range sortedNames(members) {
		key := clip(name, 100)
		if *remaining -= len(key); *remaining < 0 {
			clean[clipped] = true
			break
		}
		switch {
		case secretName.MatchString(name), isSignIn && name == "functionParameters":
			clean[key] = redacted
		default:
			clean[key] = cleanValue(members[name], depth+1, remaining)
		}
	}
	return clean
}

// sortedNames returns the names of members: the common names first, then the others in alphabetical order.
func sortedNames(members map[string]any) []string {
	names := slices.Sorted(maps.Keys(members))
	first := []string{"timestamp", "level", "message", "functionName", "sessionId"}
	slices.SortStableFunc(names, func(a, b string) int { return indexOr(first, a) - indexOr(first, b) })
	return names
}

// indexOr returns the index of a name in a list, or the length of the list.
func indexOr(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// cleanValue cleans a value and subtracts its size from remaining.
func cleanValue(v any, depth int, remaining *int) any {
	if *remaining -= 8; *remaining < 0 || depth > maxDepth {
		return clipped
	}
	switch v := v.(type) {
	case map[string]any:
		return cleanObject(v, depth, remaining)
	case []any:
		clean := make([]any, 0, min(len(v), maxEntry/8))
		for _, element := range v {
			if *remaining < 0 {
				break
			}
			clean = append(clean, cleanValue(element, depth+1, remaining))
		}
		return clean
	case string:
		text := clip(cleanText(v, depth), max(0, min(maxText, *remaining)))
		*remaining -= len(text)
		return text
	case json.Number:
		*remaining -= len(v)
		if len(v) > 40 {
			return clipped
		}
		return v
	default:
		return v
	}
}

// cleanText cleans text. If the text is a JSON object, such as a logged request, it is cleaned as an object.
func cleanText(text string, depth int) string {
	if len(text) <= 2*maxText && strings.HasPrefix(strings.TrimSpace(text), "{") && depth < maxDepth {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var members map[string]any
		if decoder.Decode(&members) == nil && !decoder.More() {
			remaining := maxText
			return string(encode(cleanObject(members, depth+1, &remaining)))
		}
	}
	return Redact(text)
}

// Redact returns the beginning of text. It replaces tokens, and values after names such as "password".
func Redact(text string) string {
	text = clip(text, 2*maxText)
	if lower := strings.ToLower(text); !slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
		return text // most text contains no hint, and the patterns are slow
	}
	text = bearer.ReplaceAllString(text, "$1 "+redacted)
	text = jwt.ReplaceAllString(text, redacted)
	return namedSecret.ReplaceAllString(text, "${1}"+redacted)
}

const secret = `(?:pass(?:word|wd|phrase|code)|pwd|secret|token|authorization|api[-_ ]?key|cookie|credential|private[-_ ]?key|captcha)`

// hints lists strings in lower case. Every secret contains or follows one of them.
var hints = []string{"bearer", "basic", "eyj", "pass", "pwd", "secret", "token", "authorization", "key", "cookie", "credential", "captcha"}

var (
	secretName = regexp.MustCompile(`(?i)` + secret)
	signIn     = regexp.MustCompile(`(?i)log_?in|sign_?(?:in|up)|register|authenticat|` + secret)
	bearer     = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}`)
	jwt        = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,2}`)
	// namedSecret finds name=value and "name":"value", even in JSON inside a JSON text.
	namedSecret = regexp.MustCompile(`(?i)(` + secret + `[\w-]*\\*["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"?|\\+"(?:[^"\\]|\\+[^"\\])*\\*"?|'[^']*'?|[^\s&,;{}\[\]"']+)`)
)

// clip cuts text to at most maxBytes, between characters.
func clip(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxBytes], "")
}
