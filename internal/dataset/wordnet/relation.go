package wordnet

// A relation is the meaning of a pointer symbol. WordNet stores many relations twice, with inverse symbols. Only one of the
// two directions becomes connections, because connections can be followed in both directions. The other direction is checked
// against the imported direction. Relations without an inverse symbol are imported unchanged.
type relation struct {
	name    string // the type of the connections is the_synset_s_<name> or the_sense_s_<name>; "" if only the inverse is imported
	inverse string // the symbol of the same relation in the opposite direction, or ""
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
	`\`:  {name: "pertainym"}, // from an adverb to the adjective from which it derives
}
