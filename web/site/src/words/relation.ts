/** A relation of WordNet, with a label for each direction. */
interface Relation {
  readonly name: string
  readonly label: string
  /** The label for the opposite direction. Relations without this label are stored in both directions. */
  readonly reverseLabel?: string
}

/** Relations between meanings: connections `the_synset_s_…`. */
export const meaningRelations: readonly Relation[] = [
  { name: 'hypernym', label: 'is a kind of', reverseLabel: 'kinds of it' },
  { name: 'instance_hypernym', label: 'is an instance of', reverseLabel: 'instances of it' },
  { name: 'part_meronym', label: 'parts', reverseLabel: 'is a part of' },
  { name: 'member_meronym', label: 'members', reverseLabel: 'is a member of' },
  { name: 'substance_meronym', label: 'is made of', reverseLabel: 'is a substance of' },
  { name: 'similar', label: 'is similar to' },
  { name: 'attribute', label: 'attribute' },
  { name: 'entailment', label: 'entails', reverseLabel: 'is entailed by' },
  { name: 'cause', label: 'causes', reverseLabel: 'is caused by' },
  { name: 'verb_group', label: 'is grouped with' },
  { name: 'also', label: 'see also' },
  { name: 'topic', label: 'belongs to the topic', reverseLabel: 'has this as its topic' },
  { name: 'region', label: 'is used in', reverseLabel: 'is used here' },
  { name: 'usage', label: 'is used as', reverseLabel: 'is used this way' },
]

/** Relations between words in one meaning: connections `the_sense_s_…`. */
export const wordRelations: readonly Relation[] = [
  { name: 'antonym', label: 'is the opposite of' },
  { name: 'derivation', label: 'related forms' },
  { name: 'pertainym', label: 'pertains to', reverseLabel: 'words that pertain to it' },
  { name: 'participle', label: 'is the participle of', reverseLabel: 'its participle' },
  { name: 'also', label: 'see also' },
]
