package graph

import "time"

// Ids that have the same meaning in every store. Clients have them built in, so stores never assign them.
const (
	The               ID = 1    // the root of every prefixed type name
	CategoryInstance  ID = 4    // category of instances
	Root              ID = 5    // type and category of the fixed concepts themselves
	TypeConnection    ID = 16   // "the_connection": its values are legacy linkers, which older clients use as types of connections
	Letter            ID = 49   // an older type of one-letter words, kept because clients use this id
	Word              ID = 51   // type of every bare word; type names consist of words
	Anonymous         ID = 999  // owner of shared records; the user of guests
	CategoryPrototype ID = 5124 // "the_prototype_of", category of prototypes

	// System owns the records that the operator installs: the site and imported data sets. It is not an account.
	System ID = 2

	// FirstFree is the first id that a store assigns; smaller ids are reserved.
	FirstFree ID = 100_000
)

// CategoryWord is the category of bare words and of "the_x" types.
const CategoryWord = The

// Fixed returns the concepts that every store contains from the start. Each concept follows its type and
// its category, except the first concepts, which describe each other.
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
