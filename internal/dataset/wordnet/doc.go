// Package wordnet reads the database files of WordNet and writes them into a store as concepts and
// connections.
//
// Synsets, Lemmas, Forms and Counts stream the records of data.*, index.*, *.exc and cntlist.rev, whose format
// the manual page wndb(5WN) describes. Import is a pipeline over these streams:
//
//	readCatalog    number all synsets, senses and words             catalog.go
//	  check        pointers, inverse relations, index, exceptions   check.go
//	  fingerprint  hash of the files, identifies the contents       catalog.go
//	removeSample   remove the built-in sample, if it is stored      sample.go
//	batches        four passes that draft concepts, connections     batches.go
//	  draftSynsets    synsets, glosses, examples, senses, words
//	  connectWords    words → senses
//	  connectSynsets  relations of synsets and of senses
//	  draftForms      irregular forms
//	writeOnce      write a batch, unless its marker is stored       import.go
//
// An interrupted import resumes: the same files always yield the same batches, each with a marker, so stored batches are
// skipped. Costs: the data files are read five times and the index files three times, with the catalog and the ids of all
// shared values in memory. Each batch costs one lookup of its marker and one write.
//
// The mapping makes every relation one hop of a query. All records belong to the system and are public. Values
// are shared: two senses with the same gloss have one concept for it.
//
//	concept       value
//	the_word      a word as spelled, with spaces: "physical entity", "Paris"
//	the_sense     the sense key, which names a word in one meaning in all releases: "dog%1:05:00::"
//	the_synset    its byte offset in the data file and its part of speech: "02084071-n"
//	the_gloss     the definition
//	the_example   a sentence, without its quotation marks
//	the_marker    the position of an adjective: "p" predicate, "a" before the noun, "ip" right after it
//	the_frame     the number of a sentence frame of verbs
//	the_frequency the number of occurrences of a sense in tagged text
//	the_form      an irregular form: "mice"
//
//	connection                       from → to, and their order
//	the_word_s_sense                 word → sense, most used first within a part of speech
//	the_word_s_noun_form             word → form; likewise verb, adj and adv
//	the_synset_s_sense               synset → sense, in WordNet's order
//	the_synset_gloss                 synset → gloss
//	the_synset_s_example             synset → example
//	the_synset_s_frame               verb synset → frame of all its words
//	the_sense_s_frame                verb sense → frame
//	the_sense_marker                 adjective sense → marker
//	the_sense_frequency              sense → frequency
//	the_synset_s_<relation>          synset → synset
//	the_sense_s_<relation>           sense → sense: a relation between words
//
// The relations, by WordNet's pointer symbols:
//
//	@ hypernym            @i instance_hypernym
//	%m member_meronym     %s substance_meronym     %p part_meronym
//	;c topic              ;r region                ;u usage
//	! antonym             & similar                ^ also
//	= attribute           + derivation             $ verb_group
//	* entailment          > cause                  < participle     \ pertainym
//
// The symbols ~ ~i #m #s #p -c -r -u are the inverses of the first eight. The inverses are checked but not stored:
// a query follows the connections of the first eight in reverse.
//
// Not imported: the sentences of sents.vrb, exceptions of words without a sense, and the licence text.
package wordnet
