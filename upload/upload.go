// Package upload takes files from people. It believes their bytes and not their names, takes out of pictures where
// they were made and with what, and keeps a small variant of each. The bytes go to a blob.Store, what is known of
// them to a kv.Store; a file is there once its record is.
package upload

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Limits are what the operator decides; all in bytes.
type Limits struct {
	Image int64 // one picture
	File  int64 // one document
	Quota int64 // all uploads of one owner; whoever is not signed in shares the quota of graph.Anonymous
}

// Uploads are the uploaded files of a server.
type Uploads struct {
	kv     kv.Store
	blobs  blob.Store
	limits Limits
	spool  string
	log    *slog.Logger
	pixels *semaphore.Weighted
}

// New returns the uploads recorded in one store and kept in another. While they arrive they stand in the directory
// spool; "" is the system's.
func New(records kv.Store, blobs blob.Store, limits Limits, spool string, log *slog.Logger) *Uploads {
	return &Uploads{
		kv: records, blobs: blobs, limits: limits, spool: spool, log: log,
		pixels: semaphore.NewWeighted(maxPixels),
	}
}

// Limits returns what the operator decided.
func (u *Uploads) Limits() Limits { return u.limits }

// An Offer is what somebody wants to upload.
type Offer struct {
	Owner graph.ID
	Class Class
	Name  string // as the owner calls it; only its ending is looked at, and only for text
	Kind  string // what the sender says it is; only looked at for text
	Bytes io.Reader
}

// A Class says what is taken at a place.
type Class int

// The classes.
const (
	Image Class = iota
	Document
)

// Add keeps what is offered. When it returns without an error the file is durable; otherwise there is nothing of it,
// unless the store of the records stopped answering: then it may be there, whole.
//
// Errors: Invalid for what is of no accepted kind or damaged, TooLarge for what is over a limit, Unavailable for a
// store that is full or does not answer.
func (u *Uploads) Add(ctx context.Context, offer Offer) (Record, error) {
	if err := u.hasRoom(ctx, offer.Owner); err != nil {
		return Record{}, err
	}
	most := u.limits.File
	if offer.Class == Image {
		most = u.limits.Image
	}
	file, err := u.receive(ctx, offer.Bytes, most)
	if err != nil {
		return Record{}, err
	}
	defer file.Close()
	kind, err := kindOf(file, offer)
	if err != nil {
		return Record{}, err
	}
	record := Record{
		Name: strings.ToLower(rand.Text()) + kind.ending, Owner: offer.Owner, Kind: kind.name,
		Size: file.size, Created: time.Now().UTC().Truncate(time.Millisecond), Original: original(offer.Name),
	}
	if offer.Class == Document {
		return u.keep(ctx, record, file, nil)
	}
	return u.addPicture(ctx, record, file)
}

func (u *Uploads) addPicture(ctx context.Context, record Record, raw *spooled) (Record, error) {
	clean, err := newSpooled(u.spool)
	if err != nil {
		return Record{}, err
	}
	defer clean.Close()
	if record.Width, record.Height, err = checkPicture(raw); err != nil {
		return Record{}, err
	}
	turn, err := strip(record.Kind, clean, raw)
	if err != nil {
		return Record{}, err
	}
	record.Size = clean.size
	little, kind, err := u.shrink(ctx, record, clean, turn)
	if err != nil {
		return Record{}, err
	}
	defer little.Close()
	record.Small = &Variant{Name: SmallName(record.Name), Kind: kind, Size: little.size}
	return u.keep(ctx, record, clean, little)
}

// keep stores the bytes first and the record last, and takes the bytes back if there is no record. Who gives up does
// not break off the record: whether it was written would not be known, and a record must never be without its bytes.
func (u *Uploads) keep(ctx context.Context, record Record, file, little *spooled) (Record, error) {
	err := u.put(ctx, record.Name, record.Kind, file)
	if err == nil && little != nil {
		err = u.put(ctx, record.Small.Name, record.Small.Kind, little)
	}
	ctx = context.WithoutCancel(ctx)
	if err == nil {
		err = u.note(ctx, record)
	}
	switch {
	case err == nil:
		return record, nil
	case errors.As(err, new(unsure)): // if there is no record, Sweep removes the bytes
	default:
		u.discard(ctx, record)
	}
	return Record{}, err
}

func (u *Uploads) put(ctx context.Context, name, kind string, file *spooled) error {
	if err := file.rewind(); err != nil {
		return err
	}
	return u.blobs.Put(ctx, name, file, file.size, kind)
}

// discard removes the bytes of what has no record. What it cannot remove now, Sweep will.
func (u *Uploads) discard(ctx context.Context, record Record) {
	for _, name := range record.blobs() {
		if err := u.blobs.Remove(ctx, name); err != nil {
			u.log.Warn("an upload without a record is left for later", "upload", name, "error", err)
		}
	}
}

// Open returns a file, or its small variant, by name; the caller closes it. NotFound when there is none.
func (u *Uploads) Open(ctx context.Context, name string) (Variant, io.ReadSeekCloser, error) {
	record, _, err := u.find(ctx, mainName(name))
	if err != nil {
		return Variant{}, nil, err
	}
	found := Variant{Name: record.Name, Kind: record.Kind, Size: record.Size, Original: record.Original}
	if name != record.Name {
		if record.Small == nil {
			return Variant{}, nil, noUpload(name)
		}
		found = *record.Small
	}
	content, _, err := u.blobs.Get(ctx, found.Name)
	return found, content, err
}

// original is the name that the owner gave, made fit for showing.
func original(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '"' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[len(name)-200:], "")
	}
	return name
}
