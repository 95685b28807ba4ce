package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// A statementCache caches prepared statements by their text. Every shape of a selection has its own text, so the least
// recently used statements are closed.
type statementCache struct {
	mu      sync.Mutex
	entries map[string]*cachedStatement
	clock   int64
}

type cachedStatement struct {
	*sql.Stmt
	text  string
	users int   // callers of get that have not called done
	used  int64 // time of the last use by the clock, which counts calls of get
}

const maxStatements = 200

// get returns the prepared statement with the given text. The statement stays open at least until the caller calls done.
func (c *statementCache) get(ctx context.Context, db preparer, text string) (statement *sql.Stmt, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entries[text]
	if k == nil {
		prepared, err := db.PrepareContext(ctx, text)
		if err != nil {
			return nil, nil, err
		}
		k = &cachedStatement{Stmt: prepared, text: text}
		if c.entries == nil {
			c.entries = map[string]*cachedStatement{}
		}
		c.entries[text] = k
	}
	c.clock++
	k.used = c.clock
	k.users++
	return k.Stmt, func() { c.release(k) }, nil
}

func (c *statementCache) release(k *cachedStatement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.users--
	if len(c.entries) <= maxStatements {
		return
	}
	var oldest *cachedStatement
	for _, k := range c.entries {
		if k.users == 0 && (oldest == nil || k.used < oldest.used) {
			oldest = k
		}
	}
	if oldest != nil {
		delete(c.entries, oldest.text)
		_ = oldest.Close() // the statement only reads, so no data is lost
	}
}

func (c *statementCache) close() (err error) {
	for _, k := range c.entries {
		err = errors.Join(err, k.Close())
	}
	return err
}
