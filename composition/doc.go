// Package composition turns nested records into concepts and connections, and back.
//
// A composition consists of a main concept and all connections whose type is that main concept, at any depth.
// The record {"name": "Ann", "home": {"city": "Oslo"}} of type the_person becomes
//
//	the_person ""  ──▶  the_name "Ann"
//	               ──▶  home ""  ──▶  the_city "Oslo"
//
// where the type of all three connections is the first concept. A scalar becomes a value whose type is its key
// with the prefix "the_". A record or list becomes an empty concept whose type is its key as written. The items
// of a list have the keys "0", "1", and so on.
//
// The graph does not preserve every difference between JSON values:
//   - Numbers, booleans and null read back as text.
//   - A record whose keys are all list indexes reads back as a list.
//   - An empty list reads back as an empty record.
//   - A key loses a leading "the_". A record with two keys that differ only in this prefix is rejected.
//
// The operations and their costs:
//
//	Parse, Decoder   JSON to Value                       one pass; Decoder holds one record at a time
//	Build            Value to drafts of a graph.Batch    no requests
//	Patch            changed fields to drafts, removals  the requests of Read
//	Read             ids to Values                       two requests per level of nesting, and one for the types
//	InternalLinks    one level of connections            one request per 32 compositions
//
// Package query formats results with the same Values. The browser library has a twin of this package; the
// cases in spec/build, spec/read and spec/patch verify both.
package composition
