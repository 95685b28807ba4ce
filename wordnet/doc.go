// Package wordnet reads the database files of WordNet and writes them into a store as concepts and
// connections.
//
// The reading half streams: Synsets, Lemmas, Forms and Counts yield the records of data.*, index.*, *.exc
// and cntlist.rev, as the manual page wndb(5WN) describes them.
//
// Import maps them so that every relation is one hop of a query. All of it belongs to the system and is
// public. Every value is shared, so two senses with one gloss have one concept for it.
//
//	concept       value
//	the_word      a word as spelled, with spaces: "physical entity", "Paris"
//	the_sense     the sense key, WordNet's lasting name of a word in one meaning: "dog%1:05:00::"
//	the_synset    the byte it stands at and its part of speech: "02084071-n"
//	the_gloss     the definition
//	the_example   a sentence, without its quotation marks
//	the_marker    where an adjective may stand: "p" predicate, "a" before the noun, "ip" right after it
//	the_frame     the number of a sentence frame of verbs
//	the_frequency how often a sense was met in tagged texts
//	the_form      an irregular form: "mice"
//
//	connection                       from → to, and in what order
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
// The symbols ~ ~i #m #s #p -c -r -u write the first eight once more from the other side. They become no
// connections of their own: a query follows the others in reverse.
//
// Left out: the sentences of sents.vrb, exceptions of words that have no sense, and the licence, which
// stays with the files.
package wordnet
