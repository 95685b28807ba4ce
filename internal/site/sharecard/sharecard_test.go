package sharecard_test

import (
	"bytes"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/site/sharecard"
)

func TestDraw(t *testing.T) {
	images := map[string][]byte{}
	for name, page := range map[string][2]string{
		"a page":                       {"Weft, the data fabric: data that holds together", "A data fabric of concepts and connections, in one Go binary and in the browser. Reads are local, writes work offline and arrive once."},
		"another page":                 {"About Weft", "Weft is a data fabric: it keeps what an app knows as concepts and the connections between them."},
		"empty title and description":  {"", ""},
		"long title and description":   {strings.Repeat("woven ", 400), strings.Repeat("thread ", 4000)},
		"one long word":                {strings.Repeat("w", 4000), strings.Repeat("w", 4000)},
		"Greek letters":                {"Υφαντό ύφασμα", "Ένα ύφασμα δεδομένων"},
		"letters missing in the fonts": {"織物", "데이터"},
	} {
		card, err := sharecard.Draw(page[0], page[1])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		decoded, err := png.Decode(bytes.NewReader(card))
		if err != nil || decoded.Bounds().Dx() != sharecard.Width || decoded.Bounds().Dy() != sharecard.Height {
			t.Errorf("%s: %v, %v", name, decoded.Bounds(), err)
		}
		if len(card) > 200<<10 {
			t.Errorf("%s: %d bytes", name, len(card))
		}
		images[name] = card
		if dir := os.Getenv("PICTURES"); dir != "" { // write the images for inspection
			if err := os.WriteFile(dir+"/"+strings.ReplaceAll(name, " ", "-")+".png", card, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	repeated, err := sharecard.Draw("About Weft", "Weft is a data fabric: it keeps what an app knows as concepts and the connections between them.")
	if err != nil || !bytes.Equal(repeated, images["another page"]) {
		t.Errorf("drawing a page again gives a different image: %v", err)
	}
	if bytes.Equal(images["a page"], images["another page"]) {
		t.Error("two pages have the same image")
	}
}

func BenchmarkDraw(b *testing.B) {
	for b.Loop() {
		if _, err := sharecard.Draw("Data that holds together", "Weft is a data fabric."); err != nil {
			b.Fatal(err)
		}
	}
}
