package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

func TestAppendJSONMatchesEncodingJSON(t *testing.T) {
	t.Run("concepts", rapid.MakeCheck(func(t *rapid.T) {
		c := wire.ResponseConcept{Concept: drawConcept(t), LocalID: drawID(t)}
		if rapid.Bool().Draw(t, "typed") {
			typ := drawConcept(t)
			c.Type = &typ
		}
		checkEncoding(t, c.AppendJSON(nil), c.Wire())
	}))
	t.Run("lists of concepts", rapid.MakeCheck(func(t *rapid.T) {
		types := []*graph.Concept{nil}
		for range 2 {
			typ := drawConcept(t)
			types = append(types, &typ)
		}
		got, want := wire.Concepts{}, []wire.Concept{}
		for range rapid.IntRange(0, 6).Draw(t, "concepts") {
			c := wire.ResponseConcept{Concept: drawConcept(t), Type: rapid.SampledFrom(types).Draw(t, "type")}
			got, want = append(got, c), append(want, c.Wire())
		}
		checkEncoding(t, got.AppendJSON(nil), want)
	}))
	t.Run("connections", rapid.MakeCheck(func(t *rapid.T) {
		c := wire.ResponseConnection{Connection: graph.Connection{
			ID: drawID(t), From: drawID(t), To: drawID(t), Type: drawID(t), Owner: drawID(t),
			Order: rapid.Int().Draw(t, "order"), Access: graph.Public, Created: drawTime(t),
		}, LocalID: drawID(t)}
		checkEncoding(t, c.AppendJSON(nil), c.Wire())
	}))
	t.Run("answers", rapid.MakeCheck(func(t *rapid.T) {
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
		checkEncoding(t, a.AppendJSON(nil), plain(a))
	}))
}

func drawGroups(t *rapid.T) wire.Groups {
	g := wire.Groups{Name: rapid.String().Draw(t, "a"), Connection: rapid.String().Draw(t, "b"), Distinct: rapid.Int().Draw(t, "c"), Top: []wire.Group{}}
	for range rapid.IntRange(0, 3).Draw(t, "top") {
		g.Top = append(g.Top, wire.Group{ID: drawID(t), Value: rapid.String().Draw(t, "d"), Count: rapid.Int().Draw(t, "e")})
	}
	return g
}

// plain is an Answer without its methods, so that encoding/json encodes its fields.
type plain wire.Answer

// list returns a copy of ids that is not nil.
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
		Position: graph.Position{X: rapid.Float64().Draw(t, "x"), Y: rapid.Float64().Draw(t, "y")},
	}
}

// checkEncoding compares appended JSON with the output of encoding/json for v.
func checkEncoding(t *rapid.T, got []byte, v any) {
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

func TestConceptAppendJSONDoesNotAllocate(t *testing.T) {
	c := wire.ResponseConcept{Concept: graph.Fixed()[7], Type: &graph.Fixed()[6]}
	b := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { b = c.AppendJSON(b[:0]) }); n != 0 {
		t.Errorf("%v allocations; want none", n)
	}
}

func TestConceptRoundTrip(t *testing.T) {
	for _, c := range graph.Fixed() {
		var decoded wire.Concept
		if err := wire.Decode(wire.ResponseConcept{Concept: c, Type: &c}.AppendJSON(nil), &decoded); err != nil {
			t.Fatal(err)
		}
		if got := decoded.Graph(); got != c {
			t.Errorf("decoded %+v; encoded %+v", got, c)
		}
	}
}

func TestCoordinatesAreNumbers(t *testing.T) {
	for text, want := range map[string]graph.Position{
		`{"x":12.5,"y":-3}`:       {X: 12.5, Y: -3},
		`{"x":"12.5","y":"-3e2"}`: {X: 12.5, Y: -300},
		`{"x":null,"y":""}`:       {},
		`{"x":0,"y":1e-7}`:        {Y: 1e-7},
	} {
		var c wire.Concept
		if err := wire.Decode([]byte(text), &c); err != nil || c.Graph().Position != want {
			t.Errorf("%s is read as %v, %v; want %v", text, c.Graph().Position, err, want)
		}
	}
	for _, text := range []string{`{"x":"left"}`, `{"y":"NaN"}`, `{"x":"Infinity"}`, `{"y":1e999}`, `{"x":[1]}`, `{"y":true}`} {
		if err := wire.Decode([]byte(text), new(wire.Concept)); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "number") {
			t.Errorf("%s: %v; want an error that asks for a number", text, err)
		}
	}
}

func TestDecodeIsLenient(t *testing.T) {
	for name, text := range map[string]string{
		"exact":                     `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","isComposition":false}`,
		"numbers as text":           `{"id":"-1","categoryId":"4","typeCharacter":"the_age","characterValue":"7"}`,
		"text as numbers":           `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":7}`,
		"names in other case":       `{"ID":-1,"CategoryID":4,"typecharacter":"the_age","CHARACTERVALUE":"7"}`,
		"nulls":                     `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","typeId":null,"isComposition":null}`,
		"unknown members":           `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","z":{"y":[1]}}`,
		"date without a zone":       `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","entryTimeStamp":"1/2/2025 3:04:05 AM"}`,
		"flags as numbers and text": `{"id":-1,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","isComposition":0,"isTemp":"true"}`,
	} {
		t.Run(name, func(t *testing.T) {
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

func TestDecodeErrorsDescribeTheProblem(t *testing.T) {
	for text, want := range map[string]string{
		``:                                    "the body is empty; want an object",
		`{"concepts":[{"id":1`:                "the JSON is cut off after 20 bytes",
		`{"concepts":[}`:                      "the JSON is malformed at byte 14: invalid character '}' looking for beginning of value",
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

// Long text is sent in pieces. Joined, the pieces must equal the text sent in one piece, even if a cut falls into a
// character, an escape or invalid bytes.
func TestLongTextIsFlushedInPieces(t *testing.T) {
	typ := &graph.Concept{ID: 7, Value: "the_text"}
	for _, part := range []string{"a", "ab\"c", "é", "水", "\U0001F600", "x\U0001F600", "\xff", "\u2028", "a\xe6\xb0", "\n"} {
		list := wire.Concepts{
			{Concept: graph.Concept{ID: 1, Value: "short", Type: 7}, Type: typ},
			{Concept: graph.Concept{ID: 2, Value: strings.Repeat(part, 300_000/len(part)), Type: 7}, Type: typ},
			{Concept: graph.Concept{ID: 3, Value: "short", Type: 7}, Type: typ},
		}
		var sent []byte
		flushes := 0
		rest := list.AppendChunks(nil, func(b []byte) []byte {
			if len(b) < 1<<16 {
				return b
			}
			flushes++
			if len(b) > 1<<18 {
				t.Errorf("%q: a piece has %d bytes; want at most %d", part, len(b), 1<<18)
			}
			sent = append(sent, b...)
			return b[:0]
		})
		if got, want := string(append(sent, rest...)), string(list.AppendJSON(nil)); got != want {
			t.Errorf("%q: the pieces differ from the whole", part)
		}
		var whole []struct{ CharacterValue string }
		if err := json.Unmarshal(list.AppendJSON(nil), &whole); err != nil {
			t.Errorf("%q: %v", part, err)
		} else if want := strings.ToValidUTF8(list[1].Concept.Value, "\ufffd"); part != "\xff" && part != "a\xe6\xb0" && whole[1].CharacterValue != want {
			t.Errorf("%q: the text differs", part)
		}
		if flushes < 3 {
			t.Errorf("%q: %d pieces", part, flushes)
		}
	}
}
