package graph

import "time"

// Ids that mean the same in every store. Clients have them built in, so no store may give them away.
const (
	The               ID = 1    // the root of every prefixed type name
	CategoryInstance  ID = 4    // category of everything that is not a type
	Root              ID = 5    // type and category of the fixed concepts themselves
	TypeConnection    ID = 16   // "the_connection": values of this type are legacy linkers
	Letter            ID = 49   // an older type of one-letter words; kept because clients know the number
	Word              ID = 51   // type of every bare word, the stuff type names are made of
	Anonymous         ID = 999  // owner of what everybody shares
	CategoryPrototype ID = 5124 // "the_prototype_of", category of prototypes

	// System owns what the operator ships: the site and imported data sets. Nobody signs in as System.
	System ID = 2

	// FirstFree is the first id a store gives away; everything below is reserved.
	FirstFree ID = 100_000
)

// CategoryWord is the category of bare words and of "the_x" types.
const CategoryWord = The

// Fixed lists the concepts every store holds from its first moment on, in an order in which each
// one's type and category come before it or are one of the first few that describe each other.
func Fixed() []Concept {
	fixed := func(id, typ, category ID, value string) Concept {
		return Concept{
			ID: id, Type: typ, Category: category, Value: value,
			Owner: Anonymous, Access: Private, Created: time.UnixMilli(0).UTC(),
		}
	}
	return []Concept{
		fixed(The, Root, Root, "the"),
		fixed(CategoryInstance, Root, Root, "instance"),
		fixed(Root, Root, Root, "root"),
		fixed(12, Root, Root, "value"),
		fixed(Letter, Root, Root, "letter"),
		fixed(Word, Root, Root, "word"),
		fixed(15, Word, CategoryWord, "connection"),
		fixed(TypeConnection, 15, CategoryWord, "the_connection"),
		fixed(5121, Word, CategoryWord, "prototype"),
		fixed(5122, 5121, CategoryWord, "the_prototype"),
		fixed(5123, Word, CategoryWord, "of"),
		fixed(CategoryPrototype, 5123, 5122, "the_prototype_of"),
	}
}
