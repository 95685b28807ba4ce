// Package upload accepts uploaded files. It determines their type from the contents, removes metadata from pictures,
// such as place and camera, and creates a small variant of each picture. Contents are stored in a blob.Store, records
// in a kv.Store.
//
//	Add
//	  checkQuota     reject the upload if the owner has no quota left       record.go
//	  receive        spool to a temporary file, up to the limit             spool.go
//	  kindOf         determine the type from the contents                   kind.go
//	  checkPicture   pictures: read and limit the dimensions                picture.go
//	  strip          pictures: copy without metadata, estimate the work     strip.go, jpeg.go, jpeg_work.go, png.go, webp.go
//	  shrink         pictures: decode, scale and rotate the small variant   picture.go, decode.go
//	  store          write the blobs, then the record and the used bytes    upload.go, record.go
//
// A file exists when its record exists. A crash before the record is written leaves blobs without a record, which
// Sweep removes after a day. Removal deletes the record first and the blobs last.
//
// Costs: while an upload is processed, the spool directory holds its bytes once for a document, and about twice for a
// picture. Before a picture is decoded, the memory for it is computed from its headers and reserved: 1 to 24 bytes for
// a pixel. Options.DecodeMemory limits the memory of all pictures that are decoded concurrently, so an upload may wait
// for other uploads. Each share decodes one picture at a time. The number of scans and blocks of a JPEG is limited
// before it is decoded, because many scans and blocks can take much time although they need few bytes; decoding stops
// at a deadline, or when the client has disconnected. A record is written in one commit of three keys, which is
// retried if another upload of the owner changed the used bytes. Serving a file reads one record and one blob.
//
// Reasons for the design: docs/decisions/0011.
package upload

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Limits are the settings of the operator, in bytes.
type Limits struct {
	Image int64 // per picture
	File  int64 // per document
	Quota int64 // all uploads of an owner; guests share the quota of graph.Anonymous
}

// Uploads manages the uploaded files of a server.
type Uploads struct {
	kv       kv.Store
	blobs    blob.Store
	limits   Limits
	spool    string
	log      *slog.Logger
	decoding *decodePool
}

// Options are the settings of uploads.
type Options struct {
	Limits Limits
	Spool  string // directory for incoming files; "" is the temporary directory of the system
	Log    *slog.Logger
	// DecodeMemory is the maximum memory for all pictures that are decoded concurrently, in bytes; 0 means
	// DefaultDecodeMemory.
	DecodeMemory int64
}

// New returns the uploads with the given stores of records and blobs.
func New(records kv.Store, blobs blob.Store, o Options) *Uploads {
	return &Uploads{
		kv: records, blobs: blobs, limits: o.Limits, spool: o.Spool, log: o.Log,
		decoding: newDecodePool(o.DecodeMemory),
	}
}

// Limits returns the limits given to New.
func (u *Uploads) Limits() Limits { return u.limits }

// An Offer is a file to upload.
type Offer struct {
	Owner graph.ID
	Share string // pictures of one share are decoded one at a time; "" means the owner. Guests of one network have a share
	Class Class
	Name  string // file name given by the owner; its extension is used only for text
	Kind  string // media type given by the sender; used only for text
	Bytes io.Reader
}

// A Class is a group of accepted file types.
type Class int

// Classes.
const (
	Image Class = iota
	Document
)

// Add stores an upload. When it returns nil, the file is durable. When it returns an error, nothing is stored, except
// that the whole file may be stored if the store of records has stopped responding.
//
// Errors: Invalid for a damaged file or an unsupported type, TooLarge beyond a limit, Unavailable if a store is full or
// not reachable.
func (u *Uploads) Add(ctx context.Context, offer Offer) (Record, error) {
	if err := u.checkQuota(ctx, offer.Owner); err != nil {
		return Record{}, err
	}
	maxBytes := u.limits.File
	if offer.Class == Image {
		maxBytes = u.limits.Image
	}
	file, err := u.receive(ctx, offer.Bytes, maxBytes)
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
		Size: file.size, Created: time.Now().UTC().Truncate(time.Millisecond), Original: displayName(offer.Name),
	}
	if offer.Class == Document {
		return u.store(ctx, record, file, nil)
	}
	return u.addPicture(ctx, record, file, cmp.Or(offer.Share, offer.Owner.String()))
}

func (u *Uploads) addPicture(ctx context.Context, record Record, raw *spooled, share string) (Record, error) {
	clean, err := newSpooled(u.spool)
	if err != nil {
		return Record{}, err
	}
	defer clean.Close()
	if record.Width, record.Height, err = checkPicture(raw); err != nil {
		return Record{}, err
	}
	picture, err := strip(record, clean, raw)
	if err != nil {
		return Record{}, err
	}
	record.Size, picture.share = clean.size, share
	variant, kind, err := u.shrink(ctx, record, clean, picture)
	if err != nil {
		return Record{}, err
	}
	defer variant.Close()
	record.Small = &Variant{Name: SmallName(record.Name), Kind: kind, Size: variant.size}
	return u.store(ctx, record, clean, variant)
}

// store stores the blobs first and the record last. It removes the blobs if writing the record fails. Cancelling ctx
// does not interrupt writing the record, because the result would be unknown and a record must always have its blobs.
func (u *Uploads) store(ctx context.Context, record Record, file, variant *spooled) (Record, error) {
	err := u.putBlob(ctx, record.Name, record.Kind, file)
	if err == nil && variant != nil {
		err = u.putBlob(ctx, record.Small.Name, record.Small.Kind, variant)
	}
	ctx = context.WithoutCancel(ctx)
	if err == nil {
		err = u.writeRecord(ctx, record)
	}
	switch {
	case err == nil:
		return record, nil
	case errors.As(err, new(uncertainError)): // the record may exist; if it does not, Sweep removes the blobs
	default:
		u.discard(ctx, record)
	}
	return Record{}, err
}

func (u *Uploads) putBlob(ctx context.Context, name, kind string, file *spooled) error {
	if err := file.rewind(); err != nil {
		return err
	}
	return u.blobs.Put(ctx, name, file, file.size, kind)
}

// discard removes blobs without a record. Sweep later removes blobs that cannot be removed now.
func (u *Uploads) discard(ctx context.Context, record Record) {
	for _, name := range record.blobs() {
		if err := u.blobs.Remove(ctx, name); err != nil {
			u.log.Warn("cannot remove an upload without a record; it is removed later", "upload", name, "error", err)
		}
	}
}

// Open opens a file or its small variant by name; the caller must close it. The error is NotFound for a missing file.
func (u *Uploads) Open(ctx context.Context, name string) (Variant, io.ReadSeekCloser, error) {
	record, _, err := u.find(ctx, mainName(name))
	if err != nil {
		return Variant{}, nil, err
	}
	found := Variant{Name: record.Name, Kind: record.Kind, Size: record.Size, Original: record.Original}
	if name != record.Name {
		if record.Small == nil {
			return Variant{}, nil, notFoundError(name)
		}
		found = *record.Small
	}
	content, _, err := u.blobs.Get(ctx, found.Name)
	return found, content, err
}

// displayName returns the last element of the owner's file name, without control characters and quotes, cut to its last
// 200 bytes.
func displayName(name string) string {
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
