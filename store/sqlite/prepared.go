package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// prepared keeps statements that are written on the way, by their text. There are as many texts as shapes of questions, so
// only those used last are kept.
type prepared struct {
	mu    sync.Mutex
	kept  map[string]*kept
	clock int64
}

type kept struct {
	*sql.Stmt
	text  string
	users int
	used  int64 // on the clock
}

const mostPrepared = 200

// get prepares a statement, unless it is kept, and keeps it at least until done.
func (p *prepared) get(ctx context.Context, db preparer, text string) (statement *sql.Stmt, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.kept[text]
	if k == nil {
		made, err := db.PrepareContext(ctx, text)
		if err != nil {
			return nil, nil, err
		}
		k = &kept{Stmt: made, text: text}
		if p.kept == nil {
			p.kept = map[string]*kept{}
		}
		p.kept[text] = k
	}
	p.clock++
	k.used = p.clock
	k.users++
	return k.Stmt, func() { p.release(k) }, nil
}

func (p *prepared) release(k *kept) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k.users--
	if len(p.kept) <= mostPrepared {
		return
	}
	var oldest *kept
	for _, k := range p.kept {
		if k.users == 0 && (oldest == nil || k.used < oldest.used) {
			oldest = k
		}
	}
	if oldest != nil {
		delete(p.kept, oldest.text)
		_ = oldest.Close() // nothing was written with it
	}
}

func (p *prepared) close() (err error) {
	for _, k := range p.kept {
		err = errors.Join(err, k.Close())
	}
	return err
}
