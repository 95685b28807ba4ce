package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/weft-graph/weft/graph"
)

// maxLineBytes is the maximum length of a line. A line contains at most one value, and JSON needs at most six bytes
// for each byte of the value.
const maxLineBytes = 6*graph.MaxTextBytes + 1<<10

// A lineReceiver receives the lines of a graph file in order.
type lineReceiver interface {
	// head is called once, before the other methods.
	head(fileHead) error
	// record is called for each concept and connection, with the length of its line in bytes.
	record(ctx context.Context, line fileLine, length int) error
}

// readGraphFile parses a whole file. Errors name the line.
func readGraphFile(ctx context.Context, in io.Reader, to lineReceiver) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	number, afterConnection := 0, false
	for ; lines.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		text := bytes.TrimSpace(lines.Bytes())
		var err error
		switch {
		case number == 0:
			err = readHead(text, to)
		case len(text) > 0:
			err = readRecord(ctx, text, &afterConnection, to)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	if number == 0 {
		return graph.Errorf(graph.Invalid, "the file is empty")
	}
	return nil
}

// readHead checks the first line.
func readHead(text []byte, to lineReceiver) error {
	var head fileHead
	if err := json.Unmarshal(text, &head); err != nil || head.Weft != "graph" || head.Store == "" {
		return graph.Errorf(graph.Invalid, "the file does not start like a graph file of weft export")
	}
	if head.Version != fileVersion {
		return graph.Errorf(graph.Invalid, "the file has version %d; this program reads version %d", head.Version, fileVersion)
	}
	return to.head(head)
}

// readRecord parses a line after the first. It requires all concepts to come before the first connection, because a fileSurvey
// relies on this order.
func readRecord(ctx context.Context, text []byte, afterConnection *bool, to lineReceiver) error {
	var line fileLine
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&line); err != nil {
		return err
	}
	isConcept := line.Concept >= graph.FirstFree && line.Connection == 0
	isConnection := line.Connection > 0 && line.Concept == 0
	switch {
	case !isConcept && !isConnection:
		return graph.Errorf(graph.Invalid, "the line is neither a concept nor a connection")
	case isConnection && min(line.From, line.To, line.Type) <= 0:
		return graph.Errorf(graph.Invalid, "the connection has the ends %d and %d and the type %d; ids in a file are positive", line.From, line.To, line.Type)
	case isConcept && *afterConnection:
		return graph.Errorf(graph.Invalid, "a concept follows a connection; all concepts of a file come first")
	}
	*afterConnection = isConnection
	if _, known := draftKinds[line.Kind]; !known {
		return graph.Errorf(graph.Invalid, "unknown kind of concept %q", graph.Clip(line.Kind))
	}
	return to.record(ctx, line, len(text))
}

// A fileReader writes the contents of a graph file to a store. The local id of a record is its old id, negated, and the
// sender is derived from the identity of the exported store. A repeated import of the same file, or of a later export of the
// same store, therefore adds only new records.
type fileReader struct {
	store  graph.Store
	owners ownerRule
	report func(records int)

	batch  graph.Batch
	bytes  int // length of the lines in batch
	seen   int // records read from the file
	sender graph.Sender
}

// maxBatchBytes is the maximum total length of the lines that are written in one batch.
const maxBatchBytes = 8 << 20

// readAll imports a whole file.
func (r *fileReader) readAll(ctx context.Context, in io.Reader) error {
	if err := readGraphFile(ctx, in, r); err != nil {
		return err
	}
	return r.flush(ctx)
}

// head derives the sender from the first line.
func (r *fileReader) head(head fileHead) error {
	r.sender = r.owners.sender(head.Store)
	r.batch.Sender = r.sender
	return nil
}

// record adds a record to the batch. It writes the batch first if it is full.
func (r *fileReader) record(ctx context.Context, line fileLine, length int) error {
	owner, err := r.owners.owner(line.Owner)
	if err != nil {
		return err
	}
	line.Owner = owner
	if r.seen > 0 && (len(r.batch.Concepts)+len(r.batch.Connections) == batchSize || r.bytes+length > maxBatchBytes) {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	r.bytes += length
	r.seen++
	if line.Concept != 0 {
		r.addConcept(line)
	} else {
		r.addConnection(line)
	}
	return nil
}

func (r *fileReader) addConcept(line fileLine) {
	r.batch.Concepts = append(r.batch.Concepts, graph.ConceptDraft{
		LocalID: -line.Concept, Kind: draftKinds[line.Kind], TypeName: line.Of, Value: line.Value,
		Owner: line.Owner, Access: line.Access, Created: line.Created, Position: graph.Position{X: line.X, Y: line.Y},
	})
}

func (r *fileReader) addConnection(line fileLine) {
	r.batch.Connections = append(r.batch.Connections, graph.ConnectionDraft{
		LocalID: -line.Connection, From: localIDFor(line.From), To: localIDFor(line.To), Type: localIDFor(line.Type),
		Order: line.Order, Owner: line.Owner, Access: line.Access, Created: line.Created,
	})
}

// localIDFor returns the local id of a concept of the file, or id itself if it has the same meaning in every store.
func localIDFor(id graph.ID) graph.ID {
	if id < graph.FirstFree {
		return id
	}
	return -id
}

// flush writes the current batch and starts a new one.
func (r *fileReader) flush(ctx context.Context) error {
	if len(r.batch.Concepts)+len(r.batch.Connections) > 0 {
		if _, err := r.store.Write(ctx, r.batch); err != nil {
			return err
		}
	}
	r.batch, r.bytes = graph.Batch{Sender: r.sender}, 0
	r.report(r.seen)
	return nil
}

// An ownerRule decides who owns the records of a file. An owner in the file is a claim of the file's author, so the
// system or a user remains the owner only if the flags permit it.
type ownerRule struct {
	importer    graph.ID // --as: owns all records whose owner is not kept; 0 if there is none
	keepsSystem bool     // --trust system
	keepsUsers  bool     // --same-users
}

// owner returns the owner of an imported record. The error is Invalid if the owner in the file is not kept and no importer
// is given.
func (o ownerRule) owner(inFile graph.ID) (graph.ID, error) {
	isUser := inFile >= graph.FirstFree
	switch {
	case inFile == graph.Anonymous, inFile == graph.System && o.keepsSystem, isUser && o.keepsUsers:
		return inFile, nil
	case o.importer != 0:
		return o.importer, nil
	case inFile == graph.System:
		return 0, graph.Errorf(graph.Invalid, "the record is owned by the system, whose pages are served and whose code runs; "+
			"set --as to import it as a record of a user, or --trust system if you trust the file")
	case isUser:
		return 0, graph.Errorf(graph.Invalid, "the record is owned by user %d, an id that may belong to another user here; "+
			"set --as to import it as a record of one user, or --same-users if both graphs have the same users", inFile)
	default:
		return 0, graph.Errorf(graph.Invalid, "the owner of the record is %d, which is not a user; set --as to import it as a record of a user", inFile)
	}
}

// sender returns the sender of the batches of a file, given the identity of the store in its first line. An untrusted file
// can claim any identity, so its sender never equals the sender of a trusted file: otherwise the file could refer to the
// records of another import by their local ids. The user of such a sender is the importer or, without one, a negative
// number.
func (o ownerRule) sender(store string) graph.Sender {
	name := fmt.Sprintf("graph file %q", store)
	if o.keepsSystem {
		h := fnv.New64a()
		_, _ = io.WriteString(h, name)
		return graph.Sender{User: graph.System, Randomizer: int64(h.Sum64() >> 1)}
	}
	sum := sha256.Sum256([]byte(name))
	number := int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
	if o.importer == 0 {
		return graph.Sender{User: graph.System, Randomizer: -1 - number}
	}
	return graph.Sender{User: o.importer, Randomizer: number}
}
