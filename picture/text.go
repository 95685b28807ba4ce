package picture

import (
	_ "embed"
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// The fonts of the site, and those for letters they do not have.
var (
	//go:embed font/bricolage-grotesque-700.ttf
	bricolage []byte
	//go:embed font/instrument-sans-400.ttf
	instrument []byte

	display = parsed(bricolage, gobold.TTF)
	plain   = parsed(instrument, goregular.TTF)
)

func parsed(files ...[]byte) []*sfnt.Font {
	var fonts []*sfnt.Font
	for _, file := range files {
		f, err := opentype.Parse(file)
		if err != nil {
			panic(err) // they are built in
		}
		fonts = append(fonts, f)
	}
	return fonts
}

// Where texts stand, in pixels.
const (
	margin  = 72
	measure = 620 // the longest line
	room    = Height - 2*margin - 90
	between = 22
)

// mostRunes bounds the work: more of a text than that never fits.
const mostRunes = 400

// write draws the title as large as it fits together with the description, and at the smallest size as much of both
// as there is room for.
func write(c *gg.Context, title, description string) error {
	const size, height = 30, 42
	below, text, err := set(c, plain, description, size)
	if err != nil {
		return err
	}
	var lines []string
	var face font.Face
	var high float64
	for _, large := range []float64{78, 68, 58, 50} {
		if lines, face, err = set(c, display, title, large); err != nil {
			return err
		}
		high = large * 1.04
		if float64(len(lines))*high+between+float64(len(below))*height <= room {
			break
		}
	}
	lines = cut(lines, int(room/high))
	below = cut(below, int((room-between-float64(len(lines))*high)/height))
	y := draw(c, face, ink, lines, margin, high)
	draw(c, text, inkSoft, below, y+between, height)
	return name(c)
}

// draw writes lines below each other from y on, and returns where the next would begin.
func draw(c *gg.Context, face font.Face, dye color.Color, lines []string, y, height float64) float64 {
	c.SetFontFace(face)
	c.SetColor(dye)
	for _, line := range lines {
		y += height
		c.DrawString(line, margin, y-height*0.25)
	}
	return y
}

// name writes Weft beside its sign.
func name(c *gg.Context) error {
	face, err := opentype.NewFace(display[0], &opentype.FaceOptions{Size: 44, DPI: 72})
	if err != nil {
		return err
	}
	c.SetFontFace(face)
	c.SetColor(ink)
	c.DrawString("Weft", margin+52+18, Height-margin-11)
	return nil
}

// set breaks a text into lines, in the first font that has all of its letters. One that no font has is left out.
func set(c *gg.Context, fonts []*sfnt.Font, text string, size float64) ([]string, font.Face, error) {
	text = clip(text)
	chosen := fonts[0]
	for i, f := range fonts {
		if has(f, text) {
			chosen = f
			break
		}
		if i == len(fonts)-1 {
			text = ""
		}
	}
	face, err := opentype.NewFace(chosen, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil || text == "" {
		return nil, face, err
	}
	c.SetFontFace(face)
	var words []string
	for word := range strings.FieldsSeq(text) {
		words = append(words, pieces(c, word)...)
	}
	return c.WordWrap(strings.Join(words, " "), measure), face, nil
}

// pieces are a word that is longer than a line, in parts that are not.
func pieces(c *gg.Context, word string) []string {
	var parts []string
	from, wide := 0, 0.0
	for i, r := range word {
		w, _ := c.MeasureString(string(r))
		if wide += w; wide > measure && i > from {
			parts = append(parts, word[from:i])
			from, wide = i, w
		}
	}
	return append(parts, word[from:])
}

func clip(text string) string {
	if utf8.RuneCountInString(text) <= mostRunes {
		return text
	}
	return string([]rune(text)[:mostRunes]) + "…"
}

func has(f *sfnt.Font, text string) bool {
	var b sfnt.Buffer
	for _, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		if glyph, err := f.GlyphIndex(&b, r); err != nil || glyph == 0 {
			return false
		}
	}
	return true
}

// cut leaves the first lines, and says with dots that there were more.
func cut(lines []string, most int) []string {
	if len(lines) <= most || most < 1 {
		return lines[:max(0, min(len(lines), most))]
	}
	lines = append([]string{}, lines[:most]...)
	last := strings.TrimRight(lines[most-1], " ,.;:…")
	lines[most-1] = last + "…"
	return lines
}
