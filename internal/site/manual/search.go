package manual

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A section is the part of a page below a heading, or before the first heading.
type section struct {
	page     *document
	id       string // id of the heading; "" for the start of the page
	heading  string
	text     string // with single spaces
	lowerAll string // title, heading and text in lower case
}

// normalized returns the section with single spaces in its text, ready for a search.
func (s section) normalized() section {
	s.text = strings.Join(strings.Fields(s.text), " ")
	s.lowerAll = strings.ToLower(s.page.title + " " + s.heading + " " + s.text)
	return s
}

// Limits of a search.
const (
	maxQueryBytes = 200
	maxQueryWords = 8
	maxHits       = 20
	excerptBytes  = 180
)

// A hit is a section that has all words of a search.
type hit struct {
	Path, Page, Heading string
	Excerpt             []excerptPart
}

// An excerptPart is a part of the text of a section. Matching parts are highlighted.
type excerptPart struct {
	Text    string
	Matches bool
}

// search returns the sections that have all words of a query in their title, heading or text, the best matches first. A word
// also matches the start of a longer word.
func (c *content) search(query string) []hit {
	words := queryWords(query)
	if len(words) == 0 {
		return nil
	}
	type scored struct {
		section
		score int
	}
	var found []scored
	for _, s := range c.sections {
		if score := s.score(words); score > 0 {
			found = append(found, scored{s, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var hits []hit
	for _, s := range found[:min(len(found), maxHits)] {
		hits = append(hits, s.hit(words))
	}
	return hits
}

// queryWords returns the words of a query in lower case.
func queryWords(query string) []string {
	if len(query) > maxQueryBytes {
		query = query[:maxQueryBytes]
	}
	words := strings.Fields(strings.ToLower(strings.ToValidUTF8(query, "")))
	return words[:min(len(words), maxQueryWords)]
}

// score rates how well a section matches; 0 means that a word is missing. A word in the heading counts most.
func (s section) score(words []string) int {
	heading, title, score := strings.ToLower(s.heading), strings.ToLower(s.page.title), 0
	for _, word := range words {
		if !strings.Contains(s.lowerAll, word) {
			return 0
		}
		if strings.Contains(heading, word) {
			score += 20
		}
		if heading == word {
			score += 20
		}
		if strings.Contains(title, word) {
			score += 5
		}
		score += 1 + min(strings.Count(s.lowerAll, word), 5)
	}
	return score
}

// hit returns the section as a hit, with an excerpt around the first word that occurs in the text.
func (s section) hit(words []string) hit {
	h := hit{Path: Path + "/" + s.page.slug, Page: s.page.title, Heading: s.heading}
	if s.id != "" {
		h.Path += "#" + s.id
	}
	lower := strings.ToLower(s.text)
	if len(lower) != len(s.text) { // the text has a letter whose lower case has a different length, so positions would differ
		lower = s.text
	}
	start := 0
	for _, word := range words {
		if i := strings.Index(lower, word); i >= 0 {
			start = max(0, i-excerptBytes/3)
			break
		}
	}
	end := min(len(s.text), start+excerptBytes)
	start, end = runeStart(s.text, start), runeStart(s.text, end)
	h.Excerpt = markWords(s.text[start:end], lower[start:end], words)
	return h
}

// runeStart returns the start of the character at a position.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// markWords splits text at the given words that occur in it. lower is the text in lower case, with the same positions.
func markWords(text, lower string, words []string) (parts []excerptPart) {
	for text != "" {
		at, length := len(text), 0
		for _, word := range words {
			if i := strings.Index(lower, word); i >= 0 && i < at {
				at, length = i, len(word)
			}
		}
		if at > 0 {
			parts = append(parts, excerptPart{text[:at], false})
		}
		if length > 0 {
			parts = append(parts, excerptPart{text[at : at+length], true})
		}
		text, lower = text[at+length:], lower[at+length:]
	}
	return parts
}
