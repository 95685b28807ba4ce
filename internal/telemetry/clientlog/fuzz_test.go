package clientlog_test

import (
	"encoding/json"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
)

// Any entry must either be refused as invalid or too large, or be readable after it was stored. Redacting text
// twice must have the effect of redacting it once.
func FuzzAppend(f *testing.F) {
	for _, seed := range []string{
		message("hello"), `{}`, `[]`, `{"level":1,"message":{}}`, `{"a":{"b":{"c":[1,"x",null]}}}`, `{"message":"Bearer eyJhbGciOi.eyJz.abc"}`,
		`{"createdAt":"9999-99-99","timestamp":-9223372036854775808}`, `{"password":"x","token":"y"}`, "{\"\u0000\":\"\\ud800\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		log := newFixture(t, &kv.Memory{}, clientlog.Options{})
		err := log.Append(t.Context(), clientlog.Source{}, "client", []json.RawMessage{json.RawMessage(entry)})
		if err != nil {
			if kind := graph.KindOf(err); kind != graph.Invalid && kind != graph.TooLarge {
				t.Fatalf("%v is %q; want invalid or tooLarge", err, kind)
			}
			return
		}
		page, err := log.Search(t.Context(), clientlog.Query{Limit: 10})
		if err != nil {
			t.Fatalf("%q is stored but cannot be read: %v", entry, err)
		}
		if text, err := json.Marshal(page); err != nil {
			t.Errorf("%q is read as %s: %v", entry, text, err)
		}
		if once := clientlog.Redact(entry); clientlog.Redact(once) != once {
			t.Errorf("%q is redacted as %q and then as %q", entry, once, clientlog.Redact(once))
		}
	})
}

// A search with any cursor and text must be answered, or be refused as invalid.
func FuzzSearch(f *testing.F) {
	f.Add("", "hello", "client")
	f.Add("0000000000001:5", "%", "")
	f.Add("\x00", "\xff", "a/b")
	f.Add("9999999999999/zzz:-1", "", "client")
	f.Fuzz(func(t *testing.T, before, text, typ string) {
		log := newFixture(t, &kv.Memory{}, clientlog.Options{})
		log.append(0, "s", "client", message("hello"))
		_, err := log.Search(t.Context(), clientlog.Query{Before: before, Text: text, Type: typ, Limit: 10})
		if kind := graph.KindOf(err); err != nil && kind != graph.Invalid {
			t.Errorf("%v is %q; want invalid", err, kind)
		}
	})
}
