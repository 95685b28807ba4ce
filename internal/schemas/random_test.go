package schemas_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/schema"
)

var (
	randomSeeds = flag.Int("schema.seeds", 200, "number of seeds of the random test of schemas")
	randomSeed  = flag.Uint64("schema.seed", 0, "run the random test of schemas with this seed only")
)

// TestRandomWritesMatchTheModel writes records with clients of two versions of a random schema, and with a client without a schema,
// while the schema of the store changes between the versions. A simple model decides which writes succeed.
func TestRandomWritesMatchTheModel(t *testing.T) {
	if *randomSeed != 0 {
		runRandom(t, *randomSeed)
		return
	}
	for seed := range uint64(*randomSeeds) {
		runRandom(t, seed+1)
		if t.Failed() {
			t.Fatalf("repeat with -schema.seed %d", seed+1)
		}
	}
}

// A modelField is a field in the form of the model.
type modelField struct {
	kind             string
	was              string // a former name, or ""
	required, unique bool
	hasDefault       bool
	maximum          int // of characters, or of a number
}

// A modelVersion is a version of the type "thing".
type modelVersion map[string]modelField

// A randomRun is a run of the test. The model contains the text of each part of each record, by real id.
type randomRun struct {
	*crmStore
	rand     *rand.Rand
	versions [2]modelVersion
	schemas  [2]*schema.Schema
	current  int // version of the schema of the store
	records  map[graph.ID]map[string]string
	log      []string
}

var partNames = []string{"a", "b", "c", "d"}

func runRandom(t *testing.T, seed uint64) {
	t.Helper()
	r := &randomRun{rand: rand.New(rand.NewPCG(seed, 0)), records: map[graph.ID]map[string]string{}}
	r.crmStore = &crmStore{Store: schemas.NewStore(memory.New(), schemas.Options{}), t: t, local: composition.LocalIDs{}}
	r.versions[0] = r.version(nil)
	r.versions[1] = r.version(r.versions[0])
	for i, v := range r.versions {
		r.schemas[i] = parse(t, v.json())
	}
	r.push(0)
	for range 40 {
		r.step()
		r.compareRecords()
		if t.Failed() {
			t.Logf("seed %d, versions %s and %s\n%s", seed, r.versions[0].json(), r.versions[1].json(), strings.Join(r.log, "\n"))
			return
		}
	}
}

// version returns a random version. If there is a version before it, most of its fields are kept, and some are renamed.
func (r *randomRun) version(before modelVersion) modelVersion {
	v := modelVersion{}
	free := slices.Clone(partNames)
	r.rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for _, name := range slices.Sorted(maps.Keys(before)) {
		f := before[name]
		f.was = ""
		switch r.rand.IntN(6) {
		case 0: // removed
			continue
		case 1:
			f.required = !f.required
		case 2:
			f = r.field()
		case 3: // renamed
			i := slices.IndexFunc(free, func(n string) bool { _, used := before[n]; return !used })
			if i >= 0 && v[free[i]].kind == "" {
				f.was, name = name, free[i]
			}
		}
		v[name] = f
	}
	for name, f := range v { // a former name must not be in use
		if _, used := v[f.was]; used {
			f.was = ""
			v[name] = f
		}
	}
	for len(v) == 0 || before == nil && len(v) < 3 {
		v[free[r.rand.IntN(len(free))]] = r.field()
	}
	return v
}

func (r *randomRun) field() modelField {
	f := modelField{kind: []string{"text", "integer", "boolean", "choice"}[r.rand.IntN(4)], required: r.rand.IntN(3) == 0}
	switch f.kind {
	case "text", "integer":
		f.maximum = 1 + r.rand.IntN(3)
		f.unique = r.rand.IntN(3) == 0
	case "boolean":
		f.hasDefault = r.rand.IntN(2) == 0
	}
	return f
}

// json returns the schema of a version.
func (v modelVersion) json() string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		f := v[name]
		text := fmt.Sprintf(`"%s": {"kind": "%s", "required": %t`, name, f.kind, f.required)
		if f.unique {
			text += `, "unique": true`
		}
		if f.maximum > 0 {
			text += `, "max": ` + strconv.Itoa(f.maximum)
		}
		if f.kind == "choice" {
			text += `, "choices": ["1", "true"]`
		}
		if f.hasDefault {
			text += `, "default": false`
		}
		if f.was != "" {
			text += `, "was": ["` + f.was + `"]`
		}
		fields = append(fields, text+"}")
	}
	return `{"types": {"thing": {"fields": {` + strings.Join(fields, ", ") + `}}}}`
}

func (r *randomRun) push(version int) {
	r.current = version
	if _, err := schemas.Push(r.t.Context(), r.Store, r.schemas[version], schemas.PushOptions{Prune: true}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *randomRun) step() {
	switch id := r.anyRecord(); r.rand.IntN(10) {
	case 0:
		r.log = append(r.log, "push the other version")
		r.push(1 - r.current)
	case 1:
		if id != 0 {
			r.log = append(r.log, fmt.Sprint("remove record ", id))
			r.mustWrite(graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}, RemoveConcepts: []graph.ID{id}})
			delete(r.records, id)
		}
	case 2, 3, 4:
		r.create(r.texts())
	case 5, 6:
		r.createTyped()
	case 7, 8:
		if id != 0 {
			r.change(id)
		}
	default:
		if id != 0 && len(r.records[id]) > 0 {
			r.removePart(id)
		}
	}
}

func (r *randomRun) anyRecord() graph.ID {
	ids := slices.Sorted(maps.Keys(r.records))
	if len(ids) == 0 {
		return 0
	}
	return ids[r.rand.IntN(len(ids))]
}

var textPool = []string{"1", "2", "3", "12", "true", "false", "x", "long", "", "2.0"}

// texts returns random parts of a record.
func (r *randomRun) texts() map[string]string {
	parts := map[string]string{}
	for _, name := range partNames {
		if r.rand.IntN(3) > 0 {
			parts[name] = textPool[r.rand.IntN(len(textPool))]
		}
	}
	return parts
}

// create writes a record as a client without a schema does.
func (r *randomRun) create(parts map[string]string) {
	want := r.refusesNew(parts)
	r.log = append(r.log, fmt.Sprintf("create %v with version %d, refused: %t", parts, r.current, want))
	receipt, err := r.Write(r.t.Context(), r.build("the_thing", recordOf(parts).String()))
	r.compare(err, want)
	if err == nil {
		r.records[receipt.Concepts[0].ID] = parts
	}
}

func recordOf(parts map[string]string) composition.Value {
	v := composition.RecordValue()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		v.Members = append(v.Members, composition.Member{Key: name, Value: composition.TextValue(parts[name])})
	}
	return v
}

// createTyped writes a record as a client of one of the versions does. The client refuses wrong values itself.
func (r *randomRun) createTyped() {
	version := r.rand.IntN(2)
	typed := composition.RecordValue()
	for name, f := range r.versions[version] {
		values := map[string][]string{"text": {`"1"`, `"2"`, `"x"`}, "integer": {"1", "2", "3"}, "boolean": {"true", "false"}, "choice": {`"1"`, `"true"`}}[f.kind]
		text := values[r.rand.IntN(len(values))]
		if r.rand.IntN(8) == 0 {
			text = []string{"null", "5", `"long"`, "[]"}[r.rand.IntN(4)]
		}
		v, err := composition.Parse([]byte(text))
		if err != nil {
			r.t.Fatal(err)
		}
		typed.Members = append(typed.Members, composition.Member{Key: name, Value: v})
	}
	stored, refusals := r.schemas[version].Types["thing"].Encode(typed, time.Time{})
	if len(refusals) > 0 {
		return
	}
	parts := map[string]string{}
	for _, m := range stored.Members {
		parts[m.Key] = m.Value.Text
	}
	for name := range parts {
		if rule := r.versions[version].violatedRule(name, parts); rule != "" {
			r.t.Errorf("a client of version %d encodes %v, which violates %s of %s", version, typed, rule, name)
		}
	}
	r.create(parts)
}

// change writes one or two parts of a record.
func (r *randomRun) change(id graph.ID) {
	changes := map[string]string{}
	seen := map[string]bool{}
	for range 1 + r.rand.IntN(2) {
		name := partNames[r.rand.IntN(len(partNames))]
		if field := r.fieldName(name); !seen[field] {
			seen[field] = true
			changes[name] = textPool[r.rand.IntN(len(textPool))]
		}
	}
	maps.DeleteFunc(changes, func(name, text string) bool { before, exists := r.records[id][name]; return exists && before == text })
	after := maps.Clone(r.records[id])
	maps.Copy(after, changes)
	want := false
	for name, text := range changes {
		field := r.fieldName(name)
		f, exists := r.versions[r.current][field]
		want = want || exists && (f.violates(text) != "" || r.isTaken(id, field, text))
	}
	r.log = append(r.log, fmt.Sprintf("change record %d %v by %v with version %d, refused: %t", id, r.records[id], changes, r.current, want))
	_, err := r.Write(r.t.Context(), r.patch(id, recordOf(changes).String()))
	r.compare(err, want)
	if err == nil {
		r.records[id] = after
	}
}

// removePart removes a part of a record.
func (r *randomRun) removePart(id graph.ID) {
	names := slices.Sorted(maps.Keys(r.records[id]))
	name := names[r.rand.IntN(len(names))]
	field := r.fieldName(name)
	after := maps.Clone(r.records[id])
	delete(after, name)
	f, exists := r.versions[r.current][field]
	before, now := r.versions[r.current].violatedRule(field, r.records[id]), r.versions[r.current].violatedRule(field, after)
	want := exists && f.required && now != "" && now != before
	r.log = append(r.log, fmt.Sprintf("remove %s of record %d %v with version %d, refused: %t", name, id, r.records[id], r.current, want))
	_, err := r.Write(r.t.Context(), r.removeField(id, "the_"+name))
	r.compare(err, want)
	if err == nil {
		r.records[id] = after
	}
}

// compare compares the result of a write with that of the model.
func (r *randomRun) compare(err error, wantRefused bool) {
	r.t.Helper()
	if isRefused := schemas.RefusalsOf(err) != nil; isRefused != wantRefused || err != nil && !isRefused {
		r.t.Errorf("the write: %v; refused in the model: %t", err, wantRefused)
	}
}

// fieldName returns the name of the current field to which a part belongs, or "".
func (r *randomRun) fieldName(part string) string {
	if _, exists := r.versions[r.current][part]; exists {
		return part
	}
	for name, f := range r.versions[r.current] {
		if f.was == part {
			return name
		}
	}
	return ""
}

// refusesNew reports whether the model refuses a new record.
func (r *randomRun) refusesNew(parts map[string]string) bool {
	for name := range r.versions[r.current] {
		if r.versions[r.current].violatedRule(name, parts) != "" {
			return true
		}
	}
	for part, text := range parts {
		if r.isTaken(0, r.fieldName(part), text) {
			return true
		}
	}
	return false
}

// isTaken reports whether a record other than id has a text as a unique value.
func (r *randomRun) isTaken(id graph.ID, field, text string) bool {
	f := r.versions[r.current][field]
	if !f.unique || text == "" {
		return false
	}
	for other, parts := range r.records {
		name, hasName := parts[field]
		was, hasFormer := parts[f.was]
		if other != id && (hasName && name == text || hasFormer && was == text) {
			return true
		}
	}
	return false
}

// violatedRule returns the rule that the value of a field violates in a record, or "".
func (v modelVersion) violatedRule(field string, parts map[string]string) string {
	f, exists := v[field]
	if !exists {
		return ""
	}
	text, isGiven := parts[field]
	if !isGiven {
		text, isGiven = parts[f.was]
	}
	switch {
	case isGiven:
		return f.violates(text)
	case f.required && !f.hasDefault:
		return "required"
	default:
		return ""
	}
}

// violates returns the rule that a text violates, or "".
func (f modelField) violates(text string) string {
	switch f.kind {
	case "text":
		switch {
		case text == "" && f.required:
			return "required"
		case len(text) > f.maximum:
			return "max"
		}
	case "integer":
		n, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
		switch {
		case err != nil || f.unique && strings.HasSuffix(text, ".0"):
			return "kind"
		case n > f.maximum:
			return "max"
		}
	case "boolean":
		if text != "true" && text != "false" {
			return "kind"
		}
	case "choice":
		if text != "1" && text != "true" {
			return "choices"
		}
	}
	return ""
}

// compareRecords compares all stored records with the model, and reads them with both versions.
func (r *randomRun) compareRecords() {
	r.t.Helper()
	for id, parts := range r.records {
		found, err := composition.Read(r.t.Context(), r.Store, []graph.ID{id}, composition.Plain)
		if err != nil || len(found) != 1 {
			r.t.Fatalf("record %d: %v, %v", id, found, err)
		}
		stored := map[string]string{}
		for _, m := range found[0].Members[0].Value.Members {
			stored[m.Key] = m.Value.Text
		}
		if diff := cmp.Diff(parts, stored); diff != "" {
			r.t.Errorf("record %d: %s", id, diff)
		}
		for i, s := range r.schemas {
			row, _ := s.Types["thing"].Decode(recordOf(parts))
			if len(row.Members) != len(r.versions[i]) {
				r.t.Errorf("version %d reads %v", i, row)
			}
		}
	}
}
