package wordnet

import (
	"errors"
	"io/fs"
	"iter"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// batches yields the drafts of the whole database, cut between one synset or word and the next when there
// are at least so many. The same files always give the same batches.
//
// Each begins with a marker, a draft of the_wordnet under a ghost of its own, and is either in the store with
// all it holds, or not at all. So who sees the marker's ghost need not send the batch, and connections need
// no ghosts: half of all rows, and each ghost would cost another row, kept for good. Concepts have ghosts
// since later batches refer to them.
func batches(files fs.FS, c *catalog, size int) iter.Seq2[portion, error] {
	return func(yield func(portion, error) bool) {
		m := &mapper{
			cat: c, files: files, size: size, yield: yield,
			synset: make([]graph.ID, c.synsets()), sense: make([]graph.ID, len(c.word)),
			values: map[value]graph.ID{},
		}
		if err := m.all(); err != nil && !errors.Is(err, errStopped) {
			yield(portion{}, err)
		}
	}
}

// A portion is a batch, and how many lines it and all before it were made of.
type portion struct {
	graph.Batch
	lines int
}

// The import is a sender of its own, or its ghosts would mean what others sent under the same numbers.
var sender = graph.Sender{User: graph.System, Randomizer: 1985}

var errStopped = errors.New("nobody wants the rest")

type mapper struct {
	cat   *catalog
	files fs.FS
	size  int
	yield func(portion, error) bool
	batch graph.Batch
	lines int

	ghost  graph.ID // the last one
	synset []graph.ID
	sense  []graph.ID
	values map[value]graph.ID // of what many share
}

type value struct{ typeName, text string }

func (m *mapper) all() error {
	for _, step := range []func(POS) error{m.draftSynsets, m.connectWords, m.connectSynsets, m.draftForms} {
		for _, pos := range All {
			if err := step(pos); err != nil {
				return err
			}
		}
	}
	m.size = 1
	return m.cut()
}

// draftSynsets drafts what a synset is by itself: its gloss, examples, senses and their words.
func (m *mapper) draftSynsets(pos POS) error {
	for s, err := range Synsets(m.files, pos) {
		if err != nil {
			return err
		}
		n, _ := m.cat.synset(s.Key)
		synset := m.concept("the_synset", s.String())
		m.synset[n] = synset
		if s.Definition != "" {
			m.connect(synset, "the_synset_gloss", m.concept("the_gloss", s.Definition))
		}
		for _, example := range s.Examples {
			m.connect(synset, "the_synset_s_example", m.concept("the_example", example))
		}
		m.draftWords(n, s)
		if err := m.nextLine(); err != nil {
			return err
		}
	}
	return nil
}

func (m *mapper) draftWords(synset int, s Synset) {
	// Two spellings may share a sense: "A" and "a" both name the letter.
	known := map[string]graph.ID{}
	for i, w := range s.Words {
		key := m.cat.senseKey(s, w)
		m.shared("the_word", w.Text)
		sense, twice := known[key]
		if !twice {
			sense = m.draftSense(key, w)
			m.connect(m.synset[synset], "the_synset_s_sense", sense)
		}
		known[key] = sense
		m.sense[m.cat.first[synset]+i] = sense
	}
	for _, f := range s.Frames {
		from, name := m.synset[synset], "the_synset_s_frame"
		if f.Word > 0 {
			from, name = m.sense[m.cat.first[synset]+f.Word-1], "the_sense_s_frame"
		}
		m.connect(from, name, m.shared("the_frame", strconv.Itoa(f.Number)))
	}
}

func (m *mapper) draftSense(key string, w Word) graph.ID {
	sense := m.concept("the_sense", key)
	if times := m.cat.counts[key]; times > 0 {
		m.connect(sense, "the_sense_frequency", m.shared("the_frequency", strconv.Itoa(times)))
	}
	if w.Marker != "" {
		m.connect(sense, "the_sense_marker", m.shared("the_marker", w.Marker))
	}
	return sense
}

// connectWords connects words with their senses, in the order of the index.
func (m *mapper) connectWords(pos POS) error {
	for l, err := range Lemmas(m.files, pos) {
		if err != nil {
			return err
		}
		senses, err := m.cat.sensesOf(l)
		if err != nil {
			return err
		}
		for _, n := range senses {
			m.connect(m.shared("the_word", m.cat.words[m.cat.word[n]]), "the_word_s_sense", m.sense[n])
		}
		if err := m.nextLine(); err != nil {
			return err
		}
	}
	return nil
}

func (m *mapper) connectSynsets(pos POS) error {
	for s, err := range Synsets(m.files, pos) {
		if err != nil {
			return err
		}
		from, _ := m.cat.synset(s.Key)
		for _, p := range s.Pointers {
			name := relations[p.Symbol].name
			if name == "" {
				continue
			}
			to, _ := m.cat.synset(p.Target)
			if p.From == 0 {
				m.connect(m.synset[from], "the_synset_s_"+name, m.synset[to])
			} else {
				m.connect(m.sense[m.cat.first[from]+p.From-1], "the_sense_s_"+name, m.sense[m.cat.first[to]+p.To-1])
			}
		}
		if err := m.nextLine(); err != nil {
			return err
		}
	}
	return nil
}

func (m *mapper) draftForms(pos POS) error {
	for f, err := range optional(Forms(m.files, pos)) {
		if err != nil {
			return err
		}
		for _, base := range f.Bases {
			word, known := m.values[value{"the_word", spaced(base)}]
			if known {
				m.connect(word, "the_word_s_"+pos.file()+"_form", m.shared("the_form", spaced(f.Text)))
			}
		}
		if err := m.cut(); err != nil {
			return err
		}
	}
	return nil
}

// spaced is how a word of the exception files is spelled.
func spaced(lemma string) string { return strings.ReplaceAll(lemma, "_", " ") }

// shared drafts a value the first time it is met.
func (m *mapper) shared(typeName, text string) graph.ID {
	key := value{typeName, text}
	ghost, met := m.values[key]
	if !met {
		ghost = m.concept(typeName, text)
		key.text = strings.Clone(text) // or the whole line stays in memory
		m.values[key] = ghost
	}
	return ghost
}

func (m *mapper) concept(typeName, text string) graph.ID {
	m.begin()
	m.draft(typeName, text)
	return m.ghost
}

func (m *mapper) connect(from graph.ID, typeName string, to graph.ID) {
	m.begin()
	m.batch.Connections = append(m.batch.Connections, graph.ConnectionDraft{
		From: from, To: to, TypeName: typeName, Order: graph.OrderLink, Access: graph.Public,
	})
}

// begin puts the marker into an empty batch.
func (m *mapper) begin() {
	if len(m.batch.Concepts) > 0 {
		return
	}
	m.batch.Sender = sender
	m.draft("the_wordnet", m.cat.print)
}

func (m *mapper) draft(typeName, text string) {
	m.ghost--
	m.batch.Concepts = append(m.batch.Concepts, graph.ConceptDraft{
		Ghost: m.ghost, TypeName: typeName, Value: text, Access: graph.Public,
	})
}

func (m *mapper) nextLine() error {
	m.lines++
	return m.cut()
}

// cut yields what has been gathered when it is enough.
func (m *mapper) cut() error {
	if len(m.batch.Concepts)+len(m.batch.Connections) < m.size {
		return nil
	}
	full := portion{m.batch, m.lines}
	m.batch = graph.Batch{}
	if !m.yield(full, nil) {
		return errStopped
	}
	return nil
}
