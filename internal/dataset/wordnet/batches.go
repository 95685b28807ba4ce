package wordnet

import (
	"errors"
	"io/fs"
	"iter"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// batches yields the whole database as batches. A batch ends after the line with which it reaches minRecords records.
// The same files always yield the same batches.
//
// Each batch begins with a marker, a concept of type the_wordnet with its own local id. Batches are atomic, so a stored
// marker means that the whole batch is stored. Connections therefore need no local ids, which saves a stored row for each
// connection. Concepts have local ids because later batches refer to them.
func batches(files fs.FS, c *catalog, minRecords int) iter.Seq2[importBatch, error] {
	return func(yield func(importBatch, error) bool) {
		m := &mapper{
			catalog: c, files: files, minRecords: minRecords, yield: yield,
			synsetIDs: make([]graph.ID, c.synsetCount()), senseIDs: make([]graph.ID, len(c.senseWord)),
			sharedIDs: map[typedValue]graph.ID{},
		}
		if err := m.run(); err != nil && !errors.Is(err, errStopped) {
			yield(importBatch{}, err)
		}
	}
}

// An importBatch is a batch and the number of lines processed so far.
type importBatch struct {
	graph.Batch
	lines int
}

// importSender sends the batches of imports. It is a separate sender, so its local ids are distinct from those of other senders.
var importSender = graph.Sender{User: graph.System, Randomizer: 1985}

var errStopped = errors.New("the caller stopped the iteration")

// A mapper drafts the concepts and connections of the database and yields them in batches.
type mapper struct {
	catalog    *catalog
	files      fs.FS
	minRecords int
	yield      func(importBatch, error) bool
	batch      graph.Batch
	lines      int

	lastLocalID graph.ID // counts down from 0
	synsetIDs   []graph.ID
	senseIDs    []graph.ID
	sharedIDs   map[typedValue]graph.ID // local ids of the shared values drafted so far
}

type typedValue struct{ typeName, text string }

// run performs all passes, and finally yields the last batch, which may be small.
func (m *mapper) run() error {
	for _, step := range []func(POS) error{m.draftSynsets, m.connectWords, m.connectSynsets, m.draftForms} {
		for _, pos := range PartsOfSpeech {
			if err := step(pos); err != nil {
				return err
			}
		}
	}
	m.minRecords = 1
	return m.yieldIfFull()
}

// draftSynsets drafts each synset with its gloss, examples, frames, senses and words.
func (m *mapper) draftSynsets(pos POS) error {
	for s, err := range Synsets(m.files, pos) {
		if err != nil {
			return err
		}
		n, _ := m.catalog.synsetNumber(s.Key)
		synset := m.draftConcept("the_synset", s.String())
		m.synsetIDs[n] = synset
		if s.Definition != "" {
			m.connect(synset, "the_synset_gloss", m.draftConcept("the_gloss", s.Definition))
		}
		for _, example := range s.Examples {
			m.connect(synset, "the_synset_s_example", m.draftConcept("the_example", example))
		}
		m.draftSenses(n, s)
		if err := m.nextLine(); err != nil {
			return err
		}
	}
	return nil
}

// draftSenses drafts the senses, words and frames of a synset. synset is the number of s in the catalog.
func (m *mapper) draftSenses(synset int, s Synset) {
	// Two spellings may share a sense: "A" and "a" are both the letter.
	senses := map[string]graph.ID{}
	for i, w := range s.Words {
		key := m.catalog.senseKey(s, w)
		m.draftShared("the_word", w.Text)
		sense, found := senses[key]
		if !found {
			sense = m.draftSense(key, w)
			m.connect(m.synsetIDs[synset], "the_synset_s_sense", sense)
		}
		senses[key] = sense
		m.senseIDs[m.catalog.firstSense[synset]+i] = sense
	}
	for _, f := range s.Frames {
		from, name := m.synsetIDs[synset], "the_synset_s_frame"
		if f.Word > 0 {
			from, name = m.senseIDs[m.catalog.firstSense[synset]+f.Word-1], "the_sense_s_frame"
		}
		m.connect(from, name, m.draftShared("the_frame", strconv.Itoa(f.Number)))
	}
}

func (m *mapper) draftSense(key string, w Word) graph.ID {
	sense := m.draftConcept("the_sense", key)
	if times := m.catalog.counts[key]; times > 0 {
		m.connect(sense, "the_sense_frequency", m.draftShared("the_frequency", strconv.Itoa(times)))
	}
	if w.Marker != "" {
		m.connect(sense, "the_sense_marker", m.draftShared("the_marker", w.Marker))
	}
	return sense
}

// connectWords connects words to their senses, in the order of the index.
func (m *mapper) connectWords(pos POS) error {
	for l, err := range Lemmas(m.files, pos) {
		if err != nil {
			return err
		}
		senses, err := m.catalog.sensesOf(l)
		if err != nil {
			return err
		}
		for _, n := range senses {
			m.connect(m.draftShared("the_word", m.catalog.words[m.catalog.senseWord[n]]), "the_word_s_sense", m.senseIDs[n])
		}
		if err := m.nextLine(); err != nil {
			return err
		}
	}
	return nil
}

// connectSynsets drafts the relations between synsets and between senses. It skips pointers that are inverses.
func (m *mapper) connectSynsets(pos POS) error {
	for s, err := range Synsets(m.files, pos) {
		if err != nil {
			return err
		}
		from, _ := m.catalog.synsetNumber(s.Key)
		for _, p := range s.Pointers {
			name := relations[p.Symbol].name
			if name == "" {
				continue
			}
			to, _ := m.catalog.synsetNumber(p.Target)
			if p.From == 0 {
				m.connect(m.synsetIDs[from], "the_synset_s_"+name, m.synsetIDs[to])
			} else {
				m.connect(m.senseIDs[m.catalog.firstSense[from]+p.From-1], "the_sense_s_"+name, m.senseIDs[m.catalog.firstSense[to]+p.To-1])
			}
		}
		if err := m.nextLine(); err != nil {
			return err
		}
	}
	return nil
}

// draftForms drafts the irregular forms of words that the database has.
func (m *mapper) draftForms(pos POS) error {
	for f, err := range optional(Forms(m.files, pos)) {
		if err != nil {
			return err
		}
		for _, base := range f.Bases {
			word, known := m.sharedIDs[typedValue{"the_word", withSpaces(base)}]
			if known {
				m.connect(word, "the_word_s_"+pos.fileSuffix()+"_form", m.draftShared("the_form", withSpaces(f.Text)))
			}
		}
		if err := m.yieldIfFull(); err != nil {
			return err
		}
	}
	return nil
}

// withSpaces returns the spelling of a word of the exception files, which write spaces as underscores.
func withSpaces(lemma string) string { return strings.ReplaceAll(lemma, "_", " ") }

// draftShared returns the local id of a value, which it drafts on the first call.
func (m *mapper) draftShared(typeName, text string) graph.ID {
	key := typedValue{typeName, text}
	id, found := m.sharedIDs[key]
	if !found {
		id = m.draftConcept(typeName, text)
		key.text = strings.Clone(text) // without the copy, text would keep its whole line in memory
		m.sharedIDs[key] = id
	}
	return id
}

// draftConcept drafts a concept and returns its local id.
func (m *mapper) draftConcept(typeName, text string) graph.ID {
	m.beginBatch()
	m.appendConcept(typeName, text)
	return m.lastLocalID
}

func (m *mapper) connect(from graph.ID, typeName string, to graph.ID) {
	m.beginBatch()
	m.batch.Connections = append(m.batch.Connections, graph.ConnectionDraft{
		From: from, To: to, TypeName: typeName, Order: graph.OrderLink, Access: graph.Public,
	})
}

// beginBatch adds the marker to an empty batch.
func (m *mapper) beginBatch() {
	if len(m.batch.Concepts) > 0 {
		return
	}
	m.batch.Sender = importSender
	m.appendConcept("the_wordnet", m.catalog.fingerprint)
}

func (m *mapper) appendConcept(typeName, text string) {
	m.lastLocalID--
	m.batch.Concepts = append(m.batch.Concepts, graph.ConceptDraft{
		LocalID: m.lastLocalID, TypeName: typeName, Value: text, Access: graph.Public,
	})
}

func (m *mapper) nextLine() error {
	m.lines++
	return m.yieldIfFull()
}

// yieldIfFull yields the current batch if it has at least minRecords records, and begins a new one.
func (m *mapper) yieldIfFull() error {
	if len(m.batch.Concepts)+len(m.batch.Connections) < m.minRecords {
		return nil
	}
	full := importBatch{m.batch, m.lines}
	m.batch = graph.Batch{}
	if !m.yield(full, nil) {
		return errStopped
	}
	return nil
}
