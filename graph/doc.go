// Package graph holds the nouns of Weft and the contract every store keeps.
//
// The glossary. These words mean the same in Go, TypeScript, SQL and URLs:
//
//	concept      a typed value: a word, a number, a whole text, or the empty head of a composition
//	connection   a directed link From one concept To another, whose Type is itself a concept
//	composition  a nested record: a main concept and every connection whose Type is that main concept
//	type         a concept that names a kind: "the_person", "the_person_name", "person"
//	value        the text a concept carries
//	id           a signed number: positive is real (a store gave it), negative is local (a client
//	             invented it and will keep using it until it learns the real one), zero is nothing
//	ghost        the name under which a record was sent, a local id or a reserved one; a store remembers
//	             which real id it became
//	reserved id  a real id that a store took out of circulation for one user, to name a record by
//	batch        records written together or not at all
//	receipt      what a batch became
//	change       one committed batch, numbered, with the ids and types it touched; its parts say so by scope
//	owner        the user a record belongs to; Anonymous owns what everybody shares
//	scope        who may read a record: everybody, one user, or admins
//	page         part of a long list (Page); for packages page and content, a document of the site
//	widget       a piece of such a document, stored: HTML, CSS and the widgets placed in it
//	identity     what tells one store from another; ids mean something only together with it
//
// Beside the graph:
//
//	entry        a small value under a text key, see package kv; whatever is not the graph and must last is made
//	             of entries. What clients log is made of log entries
//	account      a user as one who can sign in; also what the package of that name keeps
//	session      a place where somebody is signed in; in a Sender, what a client calls its own run; in package
//	             journal, a visit to a site
//	key          of an entry, what it stands under; an API key lets a program ask as its owner
//	blob         bytes under a name; an upload is a blob and the record that says whose and of what kind it is
//	use          somebody asked for a record; uses are counted and ranked
//	row          a record, entry or number of a store, as store/raw copies it
//
// The package imports nothing but the standard library and knows nobody.
package graph
