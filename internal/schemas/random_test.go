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
	maximum          int // maximum length, number, or number of items
}

// A modelLink is the link of a record to a team.
type modelLink struct {
	kind     string // one or many
	required bool
}

// connection returns the name of the type of the connections.
func (l modelLink) connection() string {
	if l.kind == "many" {
		return "the_thing_s_owner"
	}
	return "the_thing_owner"
}

// An owner is a connection to the owner of a record.
type owner struct {
	connection string // name of its type
	isTeam     bool   // whether it leads to a record of the right type
}

// A modelVersion is a version of the type "thing".
type modelVersion map[string]modelField

// A randomRun is a run of the test. For each real id of a record, the model contains the text of each part, which is JSON for a list
// or a nested record, and the connections to owners, by the id of the connection.
type randomRun struct {
	*crmStore
	rand     *rand.Rand
	versions [2]modelVersion
	schemas  [2]*schema.Schema
	current  int // version of the schema of the store
	links    [2]modelLink
	records  map[graph.ID]map[string]string
	owners   map[graph.ID]map[graph.ID]owner
	teams    [2]graph.ID
	log      []string
}

var partNames = []string{"a", "b", "c", "d"}

func runRandom(t *testing.T, seed uint64) {
	t.Helper()
	r := &randomRun{rand: rand.New(rand.NewPCG(seed, 0)), records: map[graph.ID]map[string]string{}, owners: map[graph.ID]map[graph.ID]owner{}}
	r.crmStore = &crmStore{Store: schemas.NewStore(memory.New(), schemas.Options{}), t: t, local: composition.LocalIDs{}}
	r.versions[0] = r.version(nil)
	r.versions[1] = r.version(r.versions[0])
	for i, v := range r.versions {
		r.links[i] = []modelLink{{"one", false}, {"one", true}, {"many", false}}[r.rand.IntN(3)]
		r.schemas[i] = parse(t, v.json(r.links[i]))
	}
	r.push(0)
	for i := range r.teams {
		r.teams[i] = r.mustWrite(r.build("the_team", `{"name": "t"}`))
	}
	for range 40 {
		r.step()
		r.compareRecords()
		r.compareLinks()
		if t.Failed() {
			t.Logf("seed %d, versions %s and %s\n%s", seed, r.versions[0].json(r.links[0]), r.versions[1].json(r.links[1]), strings.Join(r.log, "\n"))
			return
		}
	}
}

// version returns a random version. If there is a version before it, most fields of that version are kept, and some are
// renamed.
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
	for name, f := range v { // a former name must not be the name of a current field
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
	f := modelField{kind: []string{"text", "integer", "boolean", "choice", "list", "record"}[r.rand.IntN(6)], required: r.rand.IntN(3) == 0}
	switch f.kind {
	case "text", "integer":
		f.maximum = 1 + r.rand.IntN(3)
		f.unique = r.rand.IntN(3) == 0
	case "boolean":
		f.hasDefault = r.rand.IntN(2) == 0
	case "list":
		f.maximum = 1 + r.rand.IntN(3)
	}
	return f
}

// json returns the schema of a version.
func (v modelVersion) json(link modelLink) string {
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
		switch f.kind {
		case "list":
			text += `, "of": {"kind": "text", "max": 2}`
		case "record":
			text += `, "fields": {"x": {"kind": "text"}, "y": {"kind": "integer", "required": true}}`
		}
		if f.hasDefault {
			text += `, "default": false`
		}
		if f.was != "" {
			text += `, "was": ["` + f.was + `"]`
		}
		fields = append(fields, text+"}")
	}
	owner := fmt.Sprintf(`"owner": {"kind": %q, "targets": ["team"]`, link.kind)
	if link.required {
		owner += `, "required": true`
	}
	fields = append(fields, owner+"}")
	return `{"types": {"thing": {"fields": {` + strings.Join(fields, ", ") + `}}, "team": {"fields": {"name": {"kind": "text"}}}}}`
}

func (r *randomRun) push(version int) {
	r.current = version
	if _, err := schemas.Push(r.t.Context(), r.Store, r.schemas[version], schemas.PushOptions{Prune: true}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *randomRun) step() {
	switch id := r.anyRecord(); r.rand.IntN(12) {
	case 0:
		r.log = append(r.log, "push the other version")
		r.push(1 - r.current)
	case 1:
		if id != 0 {
			r.log = append(r.log, fmt.Sprint("remove record ", id))
			r.mustWrite(graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}, RemoveConcepts: []graph.ID{id}})
			delete(r.records, id)
			r.forgetOwner(id)
		}
	case 2, 3, 4:
		r.create(r.texts())
	case 5, 6:
		r.createTyped()
	case 7, 8:
		if id != 0 {
			r.change(id)
		}
	case 9:
		if id != 0 && len(r.records[id]) > 0 {
			r.removePart(id)
		}
	case 10:
		if id != 0 {
			r.addOwner(id)
		}
	default:
		if id != 0 && len(r.owners[id]) > 0 {
			r.removeOwner(id)
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

var textPool = []string{
	"1", "2", "3", "12", "true", "false", "x", "long", "", "2.0",
	`["x"]`, `["x","long"]`, `["1","2","3"]`, `{"y":"1"}`, `{"x":"a","y":"b"}`, `{"x":"a"}`,
}

// texts returns random parts of a record, as stored text by field.
func (r *randomRun) texts() map[string]string {
	parts := map[string]string{}
	for _, name := range partNames {
		if r.rand.IntN(3) > 0 {
			parts[name] = textPool[r.rand.IntN(len(textPool))]
		}
	}
	return parts
}

// create writes a record with up to two owners as a client without a schema does.
func (r *randomRun) create(parts map[string]string) {
	b := r.build("the_thing", recordOf(parts).String())
	var owners []owner
	for range []int{0, 1, 1, 2}[r.rand.IntN(4)] {
		d, o := r.ownerDraft(b.Concepts[0].LocalID)
		b.Connections, owners = append(b.Connections, d), append(owners, o)
	}
	want := r.refusesNew(parts) || r.refusesOwners(owners, true)
	r.log = append(r.log, fmt.Sprintf("create %v, owners %v, with version %d, refused: %t", parts, owners, r.current, want))
	receipt, err := r.Write(r.t.Context(), b)
	r.compare(err, want)
	if err != nil {
		return
	}
	id := receipt.Concepts[0].ID
	r.records[id], r.owners[id] = parts, map[graph.ID]owner{}
	for i, o := range owners {
		r.owners[id][receipt.Connections[len(receipt.Connections)-len(owners)+i].ID] = o
	}
}

// ownerDraft returns a new connection from a record to a team or, sometimes, to another record.
func (r *randomRun) ownerDraft(from graph.ID) (graph.ConnectionDraft, owner) {
	o := owner{r.links[r.rand.IntN(2)].connection(), true}
	to := r.teams[r.rand.IntN(len(r.teams))]
	if other := r.anyRecord(); other != 0 && other != from && r.rand.IntN(5) == 0 {
		to, o.isTeam = other, false
	}
	r.local.Connection--
	return graph.ConnectionDraft{LocalID: r.local.Connection, From: from, To: to, TypeName: o.connection, Order: graph.OrderLink}, o
}

// refusesOwners reports whether the model refuses new owners of a record.
func (r *randomRun) refusesOwners(given []owner, isNew bool) bool {
	link, count := r.links[r.current], 0
	for _, o := range given {
		if o.connection == link.connection() {
			if count++; !o.isTeam {
				return true
			}
		}
	}
	return link.kind == "one" && count > 1 || isNew && link.required && count == 0
}

func (r *randomRun) addOwner(id graph.ID) {
	d, o := r.ownerDraft(id)
	want := r.refusesOwners([]owner{o}, false)
	r.log = append(r.log, fmt.Sprintf("add owner %v to record %d with version %d, refused: %t", o, id, r.current, want))
	receipt, err := r.Write(r.t.Context(), graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}, Connections: []graph.ConnectionDraft{d}})
	r.compare(err, want)
	if err == nil {
		r.owners[id][receipt.Connections[0].ID] = o
	}
}

func (r *randomRun) removeOwner(id graph.ID) {
	connections := slices.Sorted(maps.Keys(r.owners[id]))
	removed := connections[r.rand.IntN(len(connections))]
	link, kept := r.links[r.current], 0
	for connection, o := range r.owners[id] {
		if connection != removed && o.connection == link.connection() {
			kept++
		}
	}
	want := link.required && r.owners[id][removed].connection == link.connection() && kept == 0
	r.log = append(r.log, fmt.Sprintf("remove owner %d of record %d with version %d, refused: %t", removed, id, r.current, want))
	_, err := r.Write(r.t.Context(), graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}, RemoveConnections: []graph.ID{removed}})
	r.compare(err, want)
	if err == nil {
		delete(r.owners[id], removed)
	}
}

// forgetOwner removes a record from the model of owners.
func (r *randomRun) forgetOwner(id graph.ID) {
	delete(r.owners, id)
	for other, owners := range r.owners {
		maps.DeleteFunc(owners, func(connection graph.ID, o owner) bool { return !o.isTeam && r.isGone(other, connection) })
	}
}

// isGone reports whether the store has removed a connection of a record.
func (r *randomRun) isGone(id, connection graph.ID) bool {
	r.t.Helper()
	return !slices.Contains(r.storedOwners(id), connection)
}

// storedOwners returns the connections of a record that are not parts of it.
func (r *randomRun) storedOwners(id graph.ID) []graph.ID {
	r.t.Helper()
	links, err := r.Links(r.t.Context(), graph.Links{Of: []graph.ID{id}, Direction: graph.Out})
	if err != nil {
		r.t.Fatal(err)
	}
	var owners []graph.ID
	for _, c := range links {
		if c.Type != id {
			owners = append(owners, c.ID)
		}
	}
	return owners
}

// compareLinks compares all stored links with the model.
func (r *randomRun) compareLinks() {
	r.t.Helper()
	for id := range r.records {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(r.owners[id])), r.storedOwners(id)); diff != "" {
			r.t.Errorf("owners of record %d: %s", id, diff)
		}
	}
}

func recordOf(parts map[string]string) composition.Value {
	v := composition.RecordValue()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		v.Members = append(v.Members, composition.Member{Key: name, Value: partValue(parts[name])})
	}
	return v
}

// partValue returns the value of a part in the model, and partText the opposite.
func partValue(text string) composition.Value {
	if isScalar(text) {
		return composition.TextValue(text)
	}
	v, err := composition.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

func partText(v composition.Value) string {
	if v.Kind == composition.Text {
		return v.Text
	}
	if text := v.String(); text != "{}" {
		return text
	}
	return "[]" // the graph does not distinguish an empty list from an empty record
}

func isScalar(text string) bool {
	return !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{")
}

// createTyped writes a record as a client of one of the versions does. The client itself refuses values that
// violate its version.
func (r *randomRun) createTyped() {
	version := r.rand.IntN(2)
	typed := composition.RecordValue()
	for name, f := range r.versions[version] {
		values := map[string][]string{
			"text": {`"1"`, `"2"`, `"x"`}, "integer": {"1", "2", "3"}, "boolean": {"true", "false"}, "choice": {`"1"`, `"true"`},
			"list": {`["x"]`, `["x", "y"]`}, "record": {`{"y": 1}`, `{"x": "a", "y": 2}`},
		}[f.kind]
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
		parts[m.Key] = partText(m.Value)
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
	maps.DeleteFunc(changes, func(name, text string) bool {
		before, exists := r.records[id][name]
		return exists && before == text && isScalar(text)
	})
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
	typ := name
	if isScalar(r.records[id][name]) {
		typ = "the_" + name
	}
	_, err := r.Write(r.t.Context(), r.removeField(id, typ))
	r.compare(err, want)
	if err == nil {
		r.records[id] = after
	}
}

// compare compares the result of a write with the result in the model.
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

// isTaken reports whether a record other than id has text as a unique value.
func (r *randomRun) isTaken(id graph.ID, field, text string) bool {
	f := r.versions[r.current][field]
	if !f.unique || text == "" || !isScalar(text) {
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

// violates returns the rule that text violates, or "".
func (f modelField) violates(text string) string {
	if isScalar(text) == (f.kind == "list" || f.kind == "record") {
		return "kind"
	}
	switch f.kind {
	case "list":
		return f.violatesList(text)
	case "record":
		if strings.HasPrefix(text, "[") && text != "[]" {
			return "kind"
		}
		_, err := strconv.Atoi(partValue(text).Get("y").Text)
		if err != nil {
			return "y"
		}
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

// violatesList returns the rule that a list or a nested record violates if the field requires a list of short
// strings, or "".
func (f modelField) violatesList(text string) string {
	items := strings.Split(strings.Trim(text, "[]"), ",")
	switch {
	case strings.HasPrefix(text, "{"):
		return "kind"
	case text == "[]" && f.required:
		return "required"
	case len(items) > f.maximum:
		return "max"
	case slices.Contains(items, `"long"`):
		return "item"
	default:
		return ""
	}
}

// compareRecords compares all stored records with the model, and reads them with both versions.
func (r *randomRun) compareRecords() {
	r.t.Helper()
	for id, parts := range r.records {
		found, err := composition.Read(r.t.Context(), r.Store, []graph.ID{id}, composition.Plain)
		if err != nil || len(found) != 1 {
			r.t.Fatalf("record %d: %v, %v; want one record", id, found, err)
		}
		stored := map[string]string{}
		for _, m := range found[0].Members[0].Value.Members {
			stored[m.Key] = partText(m.Value)
		}
		if diff := cmp.Diff(parts, stored); diff != "" {
			r.t.Errorf("record %d: %s", id, diff)
		}
		for i, s := range r.schemas {
			row, _ := s.Types["thing"].Decode(recordOf(parts))
			if len(row.Members) != len(r.versions[i]) { // links are not part of rows
				r.t.Errorf("version %d reads %v; want %d fields", i, row, len(r.versions[i]))
			}
		}
	}
}
