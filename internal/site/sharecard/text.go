package sharecard

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

// The fonts of the site, each followed by a fallback for letters that the font does not have.
var (
	//go:embed font/bricolage-grotesque-700.ttf
	bricolage []byte
	//go:embed font/instrument-sans-400.ttf
	instrument []byte

	titleFonts = parseFonts(bricolage, gobold.TTF)
	textFonts  = parseFonts(instrument, goregular.TTF)
)

// parseFonts parses embedded fonts.
func parseFonts(files ...[]byte) []*sfnt.Font {
	var fonts []*sfnt.Font
	for _, file := range files {
		f, err := opentype.Parse(file)
		if err != nil {
			panic(err) // embedded fonts are valid
		}
		fonts = append(fonts, f)
	}
	return fonts
}

// The layout of title and description, in pixels.
const (
	margin        = 72
	maxLineWidth  = 620
	maxTextHeight = Height - 2*margin - 90
	gapBelowTitle = 22
)

// maxRunes is the maximum number of characters of a title or description. It limits the work; longer text does not
// fit on an image.
const maxRunes = 400

// drawTexts draws the title in the largest size in which title and description fit. If they do not fit in the smallest
// size, they are truncated.
func drawTexts(c *gg.Context, title, description string) error {
	const size, height = 30, 42
	descriptionLines, descriptionFace, err := wrapText(c, textFonts, description, size)
	if err != nil {
		return err
	}
	var lines []string
	var face font.Face
	var lineHeight float64
	for _, titleSize := range []float64{78, 68, 58, 50} {
		if lines, face, err = wrapText(c, titleFonts, title, titleSize); err != nil {
			return err
		}
		lineHeight = titleSize * 1.04
		if float64(len(lines))*lineHeight+gapBelowTitle+float64(len(descriptionLines))*height <= maxTextHeight {
			break
		}
	}
	lines = truncateLines(lines, int(maxTextHeight/lineHeight))
	descriptionLines = truncateLines(descriptionLines, int((maxTextHeight-gapBelowTitle-float64(len(lines))*lineHeight)/height))
	y := drawLines(c, face, ink, lines, margin, lineHeight)
	drawLines(c, descriptionFace, inkSoft, descriptionLines, y+gapBelowTitle, height)
	return drawName(c)
}

// drawLines draws lines below each other, starting at y, and returns the y of the next line.
func drawLines(c *gg.Context, face font.Face, dye color.Color, lines []string, y, height float64) float64 {
	c.SetFontFace(face)
	c.SetColor(dye)
	for _, line := range lines {
		y += height
		c.DrawString(line, margin, y-height*0.25)
	}
	return y
}

// drawName draws the name "Weft" next to the logo.
func drawName(c *gg.Context) error {
	face, err := opentype.NewFace(titleFonts[0], &opentype.FaceOptions{Size: 44, DPI: 72})
	if err != nil {
		return err
	}
	c.SetFontFace(face)
	c.SetColor(ink)
	c.DrawString("Weft", margin+52+18, Height-margin-11)
	return nil
}

// wrapText breaks text into lines. It returns the lines with the face of the first font that has all letters, or no
// lines if no font has all letters.
func wrapText(c *gg.Context, fonts []*sfnt.Font, text string, size float64) ([]string, font.Face, error) {
	text = clipText(text)
	chosen := fonts[0]
	for i, f := range fonts {
		if hasGlyphs(f, text) {
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
		words = append(words, splitWord(c, word)...)
	}
	return c.WordWrap(strings.Join(words, " "), maxLineWidth), face, nil
}

// splitWord splits a word into parts that fit on a line.
func splitWord(c *gg.Context, word string) []string {
	var parts []string
	start, width := 0, 0.0
	for i, r := range word {
		w, _ := c.MeasureString(string(r))
		if width += w; width > maxLineWidth && i > start {
			parts = append(parts, word[start:i])
			start, width = i, w
		}
	}
	return append(parts, word[start:])
}

// clipText truncates text to maxRunes.
func clipText(text string) string {
	if utf8.RuneCountInString(text) <= maxRunes {
		return text
	}
	return string([]rune(text)[:maxRunes]) + "…"
}

// hasGlyphs reports whether a font has all letters of text.
func hasGlyphs(f *sfnt.Font, text string) bool {
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

// truncateLines returns the first lines, up to limit. If there are more lines, the last returned line ends with an
// ellipsis.
func truncateLines(lines []string, limit int) []string {
	if len(lines) <= limit || limit < 1 {
		return lines[:max(0, min(len(lines), limit))]
	}
	lines = append([]string{}, lines[:limit]...)
	last := strings.TrimRight(lines[limit-1], " ,.;:…")
	lines[limit-1] = last + "…"
	return lines
}
