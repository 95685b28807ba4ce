package picture_test

import (
	"bytes"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/weft-graph/weft/picture"
)

func TestDraw(t *testing.T) {
	pictures := map[string][]byte{}
	for name, page := range map[string][2]string{
		"a page":                  {"Weft, the data fabric: data that holds together", "A data fabric of concepts and connections, in one Go binary and in the browser. Reads are local, writes work offline and arrive once."},
		"another page":            {"About Weft", "Weft is a data fabric: it keeps what an app knows as concepts and the connections between them."},
		"a page without words":    {"", ""},
		"a page of many words":    {strings.Repeat("woven ", 400), strings.Repeat("thread ", 4000)},
		"a page of one long word": {strings.Repeat("w", 4000), strings.Repeat("w", 4000)},
		"Greek letters":           {"Υφαντό ύφασμα", "Ένα ύφασμα δεδομένων"},
		"letters no font has":     {"織物", "데이터"},
	} {
		drawn, err := picture.Draw(page[0], page[1])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		decoded, err := png.Decode(bytes.NewReader(drawn))
		if err != nil || decoded.Bounds().Dx() != picture.Width || decoded.Bounds().Dy() != picture.Height {
			t.Errorf("%s: %v, %v", name, decoded.Bounds(), err)
		}
		if len(drawn) > 200<<10 {
			t.Errorf("%s: %d bytes", name, len(drawn))
		}
		pictures[name] = drawn
		if dir := os.Getenv("PICTURES"); dir != "" {
			if err := os.WriteFile(dir+"/"+strings.ReplaceAll(name, " ", "-")+".png", drawn, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	again, err := picture.Draw("About Weft", "Weft is a data fabric: it keeps what an app knows as concepts and the connections between them.")
	if err != nil || !bytes.Equal(again, pictures["another page"]) {
		t.Errorf("a page is drawn differently the second time: %v", err)
	}
	if bytes.Equal(pictures["a page"], pictures["another page"]) {
		t.Error("two pages look the same")
	}
}

func BenchmarkDraw(b *testing.B) {
	for b.Loop() {
		if _, err := picture.Draw("Data that holds together", "Weft is a data fabric."); err != nil {
			b.Fatal(err)
		}
	}
}
