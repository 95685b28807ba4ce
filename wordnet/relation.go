package wordnet

// A relation is what a pointer symbol means. WordNet writes many relations from both sides, under two
// symbols; only one of them becomes connections, since a connection can be followed either way, and the
// other is checked against it. Relations that look the same from both sides are kept as written.
type relation struct {
	name    string // of the connections: the_synset_s_<name>, or the_sense_s_<name>; "" for the other side
	inverse string // the symbol of the same relation seen from its target
}

var relations = map[string]relation{
	"@":  {name: "hypernym", inverse: "~"},
	"@i": {name: "instance_hypernym", inverse: "~i"},
	"%m": {name: "member_meronym", inverse: "#m"},
	"%s": {name: "substance_meronym", inverse: "#s"},
	"%p": {name: "part_meronym", inverse: "#p"},
	";c": {name: "topic", inverse: "-c"},
	";r": {name: "region", inverse: "-r"},
	";u": {name: "usage", inverse: "-u"},
	"~":  {inverse: "@"},
	"~i": {inverse: "@i"},
	"#m": {inverse: "%m"},
	"#s": {inverse: "%s"},
	"#p": {inverse: "%p"},
	"-c": {inverse: ";c"},
	"-r": {inverse: ";r"},
	"-u": {inverse: ";u"},
	"!":  {name: "antonym"},
	"=":  {name: "attribute"},
	"+":  {name: "derivation"},
	"*":  {name: "entailment"},
	">":  {name: "cause"},
	"^":  {name: "also"},
	"$":  {name: "verb_group"},
	"&":  {name: "similar"},
	"<":  {name: "participle"},
	`\`:  {name: "pertainym"}, // of an adverb: the adjective it is made from
}
