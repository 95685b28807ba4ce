// Package cache keeps the most read concepts and types in memory, in front of a store on disk.
//
// # What is cached
//
//   - Concepts by id, in two generations that share the size given to New. When the young generation is full, it
//     becomes the old generation, and the previous old generation is evicted. Reading a concept in the old generation does
//     not move it.
//   - Types by name, at most maxTypes; if there are more, all of them are evicted.
//
// Connections, other values, and records that were not found are not cached. Reads of them go to the store.
//
// # Invalidation
//
// Concepts are never edited and ids are never reused, so a cached concept can only be wrong after its removal.
//
//	removed through this cache       evicted before Write returns
//	removed by another process       evicted when Listen reads the change: within milliseconds if the store reports
//	                                 changes, otherwise within checkInterval
//	changes cannot be followed       nothing is served from the cache after Staleness
//
// A read that begins before a removal and ends after it caches nothing. To detect this, each removal increments a
// counter, and each read compares the counter before and after.
//
// # Cost
//
// A cached concept costs a map lookup under a read lock. A batch that removes concepts costs one additional read, of the
// change.
package cache
