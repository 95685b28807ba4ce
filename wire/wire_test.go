package wire_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// The appenders are written by hand; encoding/json is the obvious answer they are compared with.
func TestAppendersWriteWhatEncodingJSONWrites(t *testing.T) {
	t.Run("for concepts", rapid.MakeCheck(func(t *rapid.T) {
		c := wire.Typed{Concept: drawConcept(t), Ghost: drawID(t)}
		if rapid.Bool().Draw(t, "typed") {
			typ := drawConcept(t)
			c.Type = &typ
		}
		same(t, c.AppendJSON(nil), c.Wire())
	}))
	t.Run("for lists of concepts", rapid.MakeCheck(func(t *rapid.T) {
		types := []*graph.Concept{nil}
		for range 2 {
			typ := drawConcept(t)
			types = append(types, &typ)
		}
		got, want := wire.Concepts{}, []wire.Concept{}
		for range rapid.IntRange(0, 6).Draw(t, "concepts") {
			c := wire.Typed{Concept: drawConcept(t), Type: rapid.SampledFrom(types).Draw(t, "type")}
			got, want = append(got, c), append(want, c.Wire())
		}
		same(t, got.AppendJSON(nil), want)
	}))
	t.Run("for connections", rapid.MakeCheck(func(t *rapid.T) {
		c := wire.Link{Connection: graph.Connection{
			ID: drawID(t), From: drawID(t), To: drawID(t), Type: drawID(t), Owner: drawID(t),
			Order: rapid.Int().Draw(t, "order"), Access: graph.Public, Created: drawTime(t),
		}, Ghost: drawID(t)}
		same(t, c.AppendJSON(nil), c.Wire())
	}))
	t.Run("for answers to queries", rapid.MakeCheck(func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Custom(drawID), 0, 3)
		a := wire.Answer{
			MainID: drawID(t), ConceptIDs: list(ids.Draw(t, "a")), Linkers: list(ids.Draw(t, "b")),
			InternalConnections: list(ids.Draw(t, "c")), Reverse: list(ids.Draw(t, "d")),
			MainCompositionIDs: list(ids.Draw(t, "e")), MainCount: rapid.Int().Draw(t, "n"),
			CountInfo: append([]string{}, rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "f")...),
			Plan:      rapid.String().Draw(t, "g"),

			MainCountAtLeast: rapid.Bool().Draw(t, "h"),
			Groups:           rapid.SliceOfN(rapid.Custom(drawGroups), 0, 2).Draw(t, "i"),
		}
		same(t, a.AppendJSON(nil), plain(a))
	}))
}

func drawGroups(t *rapid.T) wire.Groups {
	g := wire.Groups{Name: rapid.String().Draw(t, "a"), Connection: rapid.String().Draw(t, "b"), Distinct: rapid.Int().Draw(t, "c"), Top: []wire.Group{}}
	for range rapid.IntRange(0, 3).Draw(t, "top") {
		g.Top = append(g.Top, wire.Group{ID: drawID(t), Value: rapid.String().Draw(t, "d"), Count: rapid.Int().Draw(t, "e")})
	}
	return g
}

// plain is an Answer without its method, so that encoding/json sees only the members.
type plain wire.Answer

func list(ids []graph.ID) []graph.ID { return append([]graph.ID{}, ids...) }

func drawID(t *rapid.T) graph.ID {
	return graph.ID(rapid.Int64Range(-1<<53+1, 1<<53-1).Draw(t, "id"))
}

func drawTime(t *rapid.T) time.Time {
	if rapid.Bool().Draw(t, "zero time") {
		return time.Time{}
	}
	return time.UnixMilli(rapid.Int64Range(-1<<40, 1<<45).Draw(t, "time"))
}

func drawConcept(t *rapid.T) graph.Concept {
	value := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.StringOf(rapid.RuneFrom([]rune("<>&\"\\/\u2028\u2029\ufffd\x00\x1f\x7f\t\r\n😀"))))
	return graph.Concept{
		ID: drawID(t), Type: drawID(t), Category: drawID(t), Value: value.Draw(t, "value"), Owner: drawID(t),
		Access: graph.Private, Composition: rapid.Bool().Draw(t, "composition"), Created: drawTime(t),
	}
}

func same(t *rapid.T, got []byte, v any) {
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	if w := bytes.TrimSpace(want.Bytes()); !bytes.Equal(got, w) {
		t.Fatalf("appended %s\nencoding/json writes %s", got, w)
	}
}

func TestAppendingAConceptDoesNotAllocate(t *testing.T) {
	c := wire.Typed{Concept: graph.Fixed()[7], Type: &graph.Fixed()[6]}
	b := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { b = c.AppendJSON(b[:0]) }); n != 0 {
		t.Errorf("%v allocations; want none", n)
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	for _, c := range graph.Fixed() {
		var back wire.Concept
		if err := wire.Decode(wire.Typed{Concept: c, Type: &c}.AppendJSON(nil), &back); err != nil {
			t.Fatal(err)
		}
		if got := back.Graph(); got != c {
			t.Errorf("read back %+v; wrote %+v", got, c)
		}
	}
}

func TestDecodeIsTolerant(t *testing.T) {
	for what, text := range map[string]string{
		"as it should be":           `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","isComposition":false}`,
		"numbers as text":           `{"id":"-1","categoryId":"4","typeCharacter":"the_age","characterValue":"7"}`,
		"text as numbers":           `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":7}`,
		"other cases":               `{"ID":-1,"CategoryID":4,"typecharacter":"the_age","CHARACTERVALUE":"7"}`,
		"nulls":                     `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","typeId":null,"isComposition":null}`,
		"members nobody knows":      `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","x":{"y":[1]}}`,
		"a date without a zone":     `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","entryTimeStamp":"1/2/2025 3:04:05 AM"}`,
		"flags as numbers and text": `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","isComposition":0,"isTemp":"true"}`,
	} {
		t.Run(what, func(t *testing.T) {
			var c wire.Concept
			if err := wire.Decode([]byte(text), &c); err != nil {
				t.Fatal(err)
			}
			if c.ID != -1 || c.CategoryID != 4 || c.TypeCharacter != "the_age" || c.CharacterValue != "7" || c.IsComposition {
				t.Errorf("decoded %+v", c)
			}
		})
	}
}

func TestDecodeSaysWhatItSaw(t *testing.T) {
	for text, want := range map[string]string{
		``:                                    "the body is empty; want an object",
		`{"concepts":[{"id":1`:                "the JSON is cut off after 20 bytes",
		`{"concepts":[}`:                      "the JSON breaks at byte 14: invalid character '}' looking for beginning of value",
		`{"concepts":[{"id":"x"}]}`:           `"concepts.id" is string "x"; want a whole number`,
		`{"concepts":[{"id":1.5}]}`:           `"concepts.id" is number 1.5; want a whole number`,
		`{"concepts":[{"typeCharacter":{}}]}`: `"concepts.typeCharacter" is object; want text`,
		`{"concepts":{}}`:                     `"concepts" is object; want a list`,
		`[]`:                                  "the JSON holds array; want an object",
		"{\"concepts\":[{\"a\":\"\xff\"}]}":   "the body is not UTF-8: first bad byte at 19",
	} {
		var sync wire.Sync
		err := wire.Decode([]byte(text), &sync)
		if graph.KindOf(err) != graph.Invalid || err.Error() != want {
			t.Errorf("Decode(%s) is %v\nwant %s", text, err, want)
		}
	}
}
