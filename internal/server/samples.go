package server

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/dataset/sample"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/wire"
)

// sampleAPI adds samples (package sample) as records of an admin, and removes exactly what it added.
//
// The key-value store has an entry for each sample that was added:
//
//	absent ──add──▶ begun ──all batches are written──▶ added ──remove──▶ absent
//	                  └── add continues; remove removes what was written
type sampleAPI struct {
	kv    kv.Store // nil when the store keeps no entries and therefore no samples
	views *storeViews
	audit *auditAPI
}

func (a *sampleAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/samples", noBody, jsonEndpoint(a.list), "The sample data that an admin can add, and when the caller added it", requestShape{}},
		{"POST", "/api/v1/samples", smallBody, writeEndpoint(a.add), "Add sample data as records of the caller, an admin; access is private or public", jsonBody[sampleRequest]()},
		{"DELETE", "/api/v1/samples/{name}", noBody, writeEndpoint(a.remove), "Remove the records that adding a sample created; for admins. Values that other records of the caller now use are kept", requestShape{}},
	}
}

type sampleRequest struct {
	Name   string `json:"name"`
	Access string `json:"access,omitempty"` // "private", the default, or "public"
}

// sampleInfo describes a sample.
type sampleInfo struct {
	Name        string     `json:"name"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Types       []string   `json:"types"`   // types of its records, the most interesting type first
	Records     int        `json:"records"` // number of added records; 0 before the sample is added
	Access      string     `json:"access"`  // "" before the sample is added
	Added       *time.Time `json:"added"`   // null before the sample is added
}

// addedSample is the stored state of a sample of a user.
type addedSample struct {
	Randomizer  int64     `json:"randomizer"` // randomizer of the sender
	Added       time.Time `json:"added"`      // also the creation time of all its records
	Access      string    `json:"access"`
	Concepts    int       `json:"concepts"`
	Connections int       `json:"connections"`
	Records     int       `json:"records"`
	HasSchema   bool      `json:"hasSchema,omitempty"` // the types were also added
	Done        bool      `json:"done,omitempty"`
}

// samplePrefix is followed by the id of the user and the name of the sample.
const samplePrefix = "sample/"

func sampleKey(user graph.ID, name string) string { return samplePrefix + user.String() + "/" + name }

// erase removes the stored states of the samples of a user.
func (a *sampleAPI) erase(ctx context.Context, user graph.ID) error {
	if a.kv == nil {
		return nil
	}
	return kv.Clear(ctx, a.kv, samplePrefix+user.String()+"/")
}

func (a *sampleAPI) list(req *request) ([]sampleInfo, error) {
	if err := a.requireAdmin(req); err != nil {
		return nil, err
	}
	var all []sampleInfo
	for _, s := range sample.All() {
		state, _, err := a.read(req, s.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, describeSample(s, state))
	}
	return all, nil
}

func (a *sampleAPI) requireAdmin(req *request) error {
	if err := req.requireAdmin(); err != nil {
		return err
	}
	if a.kv == nil {
		return graph.Errorf(graph.Unavailable, "this store cannot hold samples")
	}
	return nil
}

func describeSample(s sample.Sample, state addedSample) sampleInfo {
	info := sampleInfo{Name: s.Name, Title: s.Title, Description: s.Description, Types: s.Types, Access: state.Access, Added: timeOrNull(state.Added)}
	if state.Done {
		info.Records = state.Records
	}
	return info
}

// read returns the state of a sample of the caller and its version, which is 0 if the sample was not added.
func (a *sampleAPI) read(req *request, name string) (state addedSample, version int64, err error) {
	found, err := a.kv.Get(req.Context(), sampleKey(req.caller.User, name))
	if err != nil || len(found) == 0 {
		return state, 0, err
	}
	return state, found[0].Version, json.Unmarshal(found[0].Value, &state)
}

// write stores the state of a sample of the caller. The error is Conflict unless the stored version equals the given
// version.
func (a *sampleAPI) write(req *request, name string, state addedSample, version int64) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return a.kv.Commit(req.Context(), kv.Put(sampleKey(req.caller.User, name), text).If(version))
}

func (a *sampleAPI) add(req *request) (sampleInfo, error) {
	if err := a.requireAdmin(req); err != nil {
		return sampleInfo{}, err
	}
	var sent sampleRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return sampleInfo{}, err
	}
	s, err := sample.Named(sent.Name)
	if err != nil {
		return sampleInfo{}, err
	}
	state, b, err := a.begin(req, s, sent.Access)
	if err != nil {
		return sampleInfo{}, err
	}
	if _, err := req.graph.Write(req.Context(), asOwn(b, state)); err != nil {
		return sampleInfo{}, err
	}
	_, version, err := a.read(req, s.Name)
	if err != nil {
		return sampleInfo{}, err
	}
	state.Done = true
	if err := a.write(req, s.Name, state, version); err != nil {
		return sampleInfo{}, err
	}
	a.audit.add(req, action{"sample.add", s.Name, state.Access})
	return describeSample(s, state), nil
}

// begin stores that a sample is being added, with its schema, and returns the state and the batch. It continues an
// interrupted addition. The error is Conflict if the sample was already added.
func (a *sampleAPI) begin(req *request, s sample.Sample, accessName string) (state addedSample, b graph.Batch, err error) {
	state, version, err := a.read(req, s.Name)
	switch {
	case err != nil:
		return state, b, err
	case state.Done:
		return state, b, graph.Errorf(graph.Conflict, "the sample %q was added at %s; remove it first", s.Name, state.Added.Format(time.RFC3339))
	case version != 0:
		b, err = s.Batch(state.Added)
		return state, b, err
	case accessName == "":
		accessName = "private"
	case accessName != "private" && accessName != "public":
		return state, b, graph.Errorf(graph.Invalid, "the access is %q; want private or public", graph.Clip(accessName))
	}
	hasRecords, err := a.hasRecords(req.Context(), s)
	if err == nil && s.Schema == nil && hasRecords {
		err = graph.Errorf(graph.Conflict, "this server already has records of the type %s; the sample would mix with them", s.Types[0])
	}
	if err != nil {
		return state, b, err
	}
	state = addedSample{
		Randomizer: rand.Int64(), Added: time.Now().UTC().Truncate(time.Millisecond), Access: accessName, HasSchema: s.Schema != nil && !hasRecords,
	}
	if b, err = s.Batch(state.Added); err != nil {
		return state, b, err
	}
	state.Concepts, state.Connections, state.Records = len(b.Concepts), len(b.Connections), countRecords(s, b)
	if err := a.write(req, s.Name, state, kv.Absent); err != nil {
		return state, b, err
	}
	if state.HasSchema {
		_, err = schemas.Push(req.Context(), a.views.as(access.System), s.Schema(), schemas.PushOptions{})
	}
	return state, b, err
}

// hasRecords reports whether the store has records of the types of a sample. If it has, the sample must not be added,
// because it would set the schema of types that other users use.
func (a *sampleAPI) hasRecords(ctx context.Context, s sample.Sample) (bool, error) {
	store := a.views.as(access.System)
	types, err := graph.TypesNamed(ctx, store, s.Types...)
	for _, t := range types {
		if err != nil {
			break
		}
		var n int
		if n, err = store.CountByType(ctx, t.ID, 1); n > 0 {
			return true, err
		}
	}
	return false, err
}

// countRecords returns the number of records among the drafts of a sample.
func countRecords(s sample.Sample, b graph.Batch) (n int) {
	for _, d := range b.Concepts {
		if slices.Contains(s.Types, d.TypeName) {
			n++
		}
	}
	return n
}

// asOwn returns the batch of a sample with the sender, the access and the creation time in the state. The owner of the records is
// the caller who writes the batch.
func asOwn(b graph.Batch, state addedSample) graph.Batch {
	level := graph.Private
	if state.Access == "public" {
		level = graph.Public
	}
	b.Sender = graph.Sender{Randomizer: state.Randomizer}
	for i := range b.Concepts {
		b.Concepts[i].Access, b.Concepts[i].Created = level, state.Added
	}
	for i := range b.Connections {
		b.Connections[i].Access, b.Connections[i].Created = level, state.Added
	}
	return b
}
