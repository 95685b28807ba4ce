// Package feed streams committed changes to subscribers and never skips one silently: a subscriber that misses
// changes receives Reset or Dropped instead.
//
// A Feed is a store in front of another store. It wakes its subscribers
//
//	after a write through the feed               immediately
//	after a write by another process             when the store's Listen reports it (PostgreSQL)
//	after any other write                        at the next heartbeat, at most HeartbeatInterval later
//
// Each subscriber then reads the changes after the last one it received. States of a subscription and the events
// it yields:
//
//	Follow ── Ready ──→ following ──┬─ Change, Heartbeat ──→ following
//	                                ├─ Reset ──────────────→ following, from the newest change
//	                                ├─ Dropped ────────────→ ended: the subscriber is too slow
//	                                └─ error, ctx or Close → ended
//
// Reset means that the subscriber missed changes: the store has deleted them, more than maxLag precede the newest
// when Follow begins, or the store never reached the position. The subscriber must reload its data.
//
// # Cost
//
// The newest maxTail changes, and the records that they name, are read from the store once and shared by all subscribers whose reader can
// redact them in memory (see ChangeRedactor). A write therefore costs the same number of reads for one subscriber and for a thousand. A
// subscriber whose reader cannot redact in memory, or that is further behind, reads its own pages. A heartbeat costs one read, which
// returns nothing unless a change was not signalled.
//
// Reasons for the design: docs/decisions/0010.
package feed
