/** How relations of WordNet read, from either side. */
interface Relation {
  readonly name: string
  readonly says: string
  /** From the other side. A relation without is written down on both. */
  readonly back?: string
}

/** Between meanings: connections `the_synset_s_…`. */
export const meaningRelations: readonly Relation[] = [
  { name: 'hypernym', says: 'is a kind of', back: 'kinds of it' },
  { name: 'instance_hypernym', says: 'is an instance of', back: 'instances of it' },
  { name: 'part_meronym', says: 'parts', back: 'is a part of' },
  { name: 'member_meronym', says: 'members', back: 'is a member of' },
  { name: 'substance_meronym', says: 'is made of', back: 'is in' },
  { name: 'similar', says: 'is similar to' },
  { name: 'attribute', says: 'has to do with the quality' },
  { name: 'entailment', says: 'entails', back: 'is entailed by' },
  { name: 'cause', says: 'causes', back: 'is caused by' },
  { name: 'verb_group', says: 'goes with' },
  { name: 'also', says: 'see also' },
  { name: 'topic', says: 'belongs to the topic', back: 'has this as its topic' },
  { name: 'region', says: 'is used in', back: 'is used here' },
  { name: 'usage', says: 'is used as', back: 'is used this way' },
]

/** Between words in one meaning: connections `the_sense_s_…`. */
export const wordRelations: readonly Relation[] = [
  { name: 'antonym', says: 'is the opposite of' },
  { name: 'derivation', says: 'is of one stem with' },
  { name: 'pertainym', says: 'pertains to', back: 'what pertains to it' },
  { name: 'participle', says: 'is the participle of', back: 'its participle' },
  { name: 'also', says: 'see also' },
]
