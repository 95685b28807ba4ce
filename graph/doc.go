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
//	ghost        the local id under which a record was sent; a store remembers which real id it became
//	batch        records written together or not at all
//	receipt      what a batch became
//	change       one committed batch, numbered, with the ids and types it touched
//	owner        the user a record belongs to; Anonymous owns what everybody shares
//	page         part of a long list (Page); for packages page and content, a document of the site
//	widget       a piece of such a document, stored: HTML, CSS and the widgets placed in it
//	identity     what tells one store from another; ids mean something only together with it
//
// The package imports nothing but the standard library and knows nobody.
package graph
