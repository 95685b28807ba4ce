// Package graph defines the data model of Weft and the contract that every store implements.
// It imports only the standard library.
//
// # Glossary
//
// A term means the same in Go, TypeScript, SQL, URLs and documentation.
//
// Records:
//
//	concept      a typed value: a word, a number, a whole text, or the empty head of a composition
//	connection   a directed link From one concept To another; its Type is itself a concept
//	composition  a nested record: a main concept and all connections whose type is that main concept
//	type         a concept that names a kind of concept or connection: "the_person", "the_person_name", "person"
//	instance     a concept that is neither a type nor a prototype: an ordinary member of its type
//	value        the text of a concept
//	prototype    a composition that serves as a pattern for instances of a type
//	owner        the user that a record belongs to; Anonymous owns shared records
//	access       who may read a record besides its owner: Public, Private or Admin
//	scope        the set of readers that follows from owner and access: all users (0), one user, or admins
//
// Ids:
//
//	id           a signed number: positive is real (assigned by a store), negative is local, zero is none
//	local id     a negative id that a client assigns to a record before a store assigns the real one;
//	             "ghost" in the JSON fields and error messages of the wire contract
//	reserved id  a real id that a store set aside for one user, who may then create a record with it
//	identity     a string that distinguishes one store from another; ids and change numbers are only
//	             meaningful together with it
//
// Writes:
//
//	batch        records that are written together or not at all
//	draft        a concept or connection of a batch, before it is written
//	receipt      the result of a batch: the records that its drafts became
//	sender       the namespace of local ids: a user (a session for guests) and a client-chosen number
//	change       the record of one committed batch: a number and the ids and types it touched,
//	             split into one part per scope
//
// Reads:
//
//	page         a section of an ordered list (Page). In packages page and content, a document of the site
//	set          a description of concepts for a Selector, built from types, links and set algebra
//	key          of a value (Key), its comparable form; of an entry in a key-value store, its name;
//	             an API key lets a program act as its owner
//
// Outside the graph:
//
//	entry        a small value under a string key in a key-value store (package kv). Log entries are
//	             the lines that clients report
//	account      a user with credentials
//	session      a sign-in of an account; in a Sender, a name that distinguishes guests; in package
//	             clientlog, one visit to a site
//	blob         bytes under a name; an upload is a blob plus the record of its owner and media type
//	usage        how often records are requested, counted and ranked
//	row          a record, entry or counter of a store, as package raw copies it
//	widget       a stored part of a site page: HTML, CSS, optional code, and the widgets placed in it
//
// # Contracts
//
// Reader and Store are the contract. Package storetest checks it for every implementation. These
// capabilities are optional:
//
//	Selector       finds the members of a Set in one request
//	Sizer          estimates the size of types for query planning
//	KeyReader      reads values in the order of their sort keys
//	PairReader     reads connections by pairs of source and type
//	VisibleReader  reads as one viewer without reading hidden records
//	ValueChecker   reports whether a value exists in any scope
//	TypeLister     lists the types that have instances
//	UsageKeeper    counts the records of each user and limits them
//
// Use As to find a capability behind wrappers, and SetForwarder to pass the first four through a wrapper.
//
// A write takes this path:
//
//	Batch.Check ──▶ Store.Write ──▶ Receipt           to the sender
//	                    │
//	                    └─ ChangeBuilder ──▶ Change    to readers of Changes
//
// Reasons for the design: docs/decisions/0001.
package graph
