package journal

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Clean texts are at most maxText bytes long. Nothing is looked at beyond twice that: what a secret began
// before the cut is still whole there.
const (
	maxText  = 4 << 10
	maxDepth = 16
)

const (
	redacted = "[redacted]"
	clipped  = "[clipped]"
)

// cleaned is an entry without its secrets and cut to size. Members that nobody knows stay.
func cleaned(entry json.RawMessage) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(entry))
	decoder.UseNumber()
	var members map[string]any
	if err := decoder.Decode(&members); err != nil || members == nil {
		return nil, graph.Errorf(graph.Invalid, "%q is no JSON object", graph.Clip(string(entry)))
	}
	room := maxEntry
	return encode(cleanObject(members, 0, &room)), nil
}

// cleanObject spends room on members, the ones that every entry has first. When there is none left, the
// rest is left out.
func cleanObject(members map[string]any, depth int, room *int) map[string]any {
	clean := make(map[string]any, len(members))
	signsIn := false
	if name, ok := members["functionName"].(string); ok {
		signsIn = signIn.MatchString(name)
	}
	for _, name := range inOrder(members) {
		key := clip(name, 100)
		if *room -= len(key); *room < 0 {
			clean[clipped] = true
			break
		}
		switch {
		case secretName.MatchString(name), signsIn && name == "functionParameters":
			clean[key] = redacted
		default:
			clean[key] = cleanValue(members[name], depth+1, room)
		}
	}
	return clean
}

func inOrder(members map[string]any) []string {
	names := slices.Sorted(maps.Keys(members))
	first := []string{"timestamp", "level", "message", "functionName", "sessionId"}
	slices.SortStableFunc(names, func(a, b string) int { return place(first, a) - place(first, b) })
	return names
}

func place(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

func cleanValue(v any, depth int, room *int) any {
	if *room -= 8; *room < 0 || depth > maxDepth {
		return clipped
	}
	switch v := v.(type) {
	case map[string]any:
		return cleanObject(v, depth, room)
	case []any:
		clean := make([]any, 0, min(len(v), maxEntry/8))
		for _, one := range v {
			if *room < 0 {
				break
			}
			clean = append(clean, cleanValue(one, depth+1, room))
		}
		return clean
	case string:
		text := clip(cleanText(v, depth), max(0, min(maxText, *room)))
		*room -= len(text)
		return text
	case json.Number:
		*room -= len(v)
		if len(v) > 40 {
			return clipped
		}
		return v
	default:
		return v
	}
}

// cleanText cleans a text. One that is JSON, as clients log what they sent, is taken apart.
func cleanText(text string, depth int) string {
	if len(text) <= 2*maxText && strings.HasPrefix(strings.TrimSpace(text), "{") && depth < maxDepth {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var members map[string]any
		if decoder.Decode(&members) == nil && !decoder.More() {
			room := maxText
			return string(encode(cleanObject(members, depth+1, &room)))
		}
	}
	return Redact(text)
}

// Redact returns the beginning of a text without what looks like a secret: tokens, and what stands behind a
// name like "password".
func Redact(text string) string {
	text = clip(text, 2*maxText)
	if small := strings.ToLower(text); !slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(small, hint) }) {
		return text // most have none, and the patterns take their time
	}
	text = bearer.ReplaceAllString(text, "$1 "+redacted)
	text = jwt.ReplaceAllString(text, redacted)
	return named.ReplaceAllString(text, "${1}"+redacted)
}

const secret = `(?:pass(?:word|wd|phrase|code)|secret|token|authorization|api[-_ ]?key|cookie|credential|private[-_ ]?key|captcha)`

// hints are what every secret has in or before it, in small letters.
var hints = []string{"bearer", "basic", "eyj", "pass", "secret", "token", "authorization", "key", "cookie", "credential", "captcha"}

var (
	secretName = regexp.MustCompile(`(?i)` + secret)
	signIn     = regexp.MustCompile(`(?i)log_?in|sign_?(?:in|up)|register|authenticat|` + secret)
	bearer     = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}`)
	jwt        = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,2}`)
	// named finds name=value and "name":"value", also in JSON that is a text in JSON.
	named = regexp.MustCompile(`(?i)(` + secret + `[\w-]*\\*["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"?|\\+"(?:[^"\\]|\\+[^"\\])*\\*"?|'[^']*'?|[^\s&,;{}\[\]"']+)`)
)

// clip cuts a text to so many bytes, between characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
