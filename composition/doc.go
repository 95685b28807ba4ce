// Package composition turns nested records into concepts and connections, and back.
//
// A composition is a main concept and every connection whose type is that main concept, at any depth.
// A record {"name": "Ann", "home": {"city": "Oslo"}} of type the_person becomes
//
//	the_person ""  ──▶  the_name "Ann"
//	               ──▶  home ""  ──▶  the_city "Oslo"
//
// where all three connections have the same type: the first concept. A scalar is a value of the type
// named by its key with "the_" in front; a record or a list is an empty concept of the type named by its
// key as written; the items of a list have the keys "0", "1", and so on.
//
// What the graph does not tell apart reads back as one thing. Numbers, booleans and null are the texts
// they are written as. A record whose keys are all numbers is a list. An empty list is an empty record.
// A key loses a leading "the_", so two keys that differ in nothing else cannot stand in one record.
//
// Package query formats what it finds with the same values. The rules have a twin in the browser, and
// the cases under vectors/ hold both to the same answers.
package composition
