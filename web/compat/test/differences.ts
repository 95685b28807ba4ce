/**
 * The recordings that have another result in this package, with the reason. Tests check that each of them does differ,
 * and that all other recordings have the same result.
 */
export const differences: Readonly<Record<string, string>> = {
  'create-data-nested':
    'All items of a list have the type of the list. In the incumbent every position is a separate type, so that lists cannot be read back.',
  'composition-GetComposition-cycle':
    'A connection back to a containing record is left out. The incumbent inserts an empty text.',
  'composition-GetComposition-missing-leaf':
    'A connection whose end cannot be loaded is left out. The incumbent inserts a value of "0".',
  'composition-GetComposition-mixed-keys-name-first':
    'Numeric keys among other keys are ordinary keys. The incumbent loses part of the record.',
  'composition-GetComposition-mixed-keys-number-first':
    'Numeric keys among other keys are ordinary keys. The incumbent loses part of the record.',
  'composition-GetComposition-no-nested-type':
    'Types are always known, so keys are their names. The incumbent names a record without a type "0".',
  'composition-GetComposition-shared-subcomposition-second-is-empty-string':
    'A record that occurs twice is read in both places. In the incumbent the second is empty.',
  'composition-GetComposition-the-prefix-removed-once-anywhere':
    'The prefix is removed at the start of a key only. The incumbent removes it anywhere.',
  'composition-GetComposition-unknown-id':
    'An unknown id reads as no record. The incumbent returns a record with an empty name.',
  'composition-GetCompositionList-answer-without-nested-type':
    'The first list is complete. That of the incumbent is empty because types arrive late.',
  'composition-GetCompositionWithCache-twice':
    'Every call returns the same shape. The second call of the incumbent returns another one.',
  'composition-GetCompositionWithDataIdWithCache-twice':
    'Every call returns the same shape. The second call of the incumbent returns another one.',
  'format-count-normal':
    'NORMAL contains counts like every other format. The incumbent drops them.',
  'format-count-on-child-dataid':
    'All counts of a concept are returned. The incumbent returns the last one, and none in NORMAL.',
  'format-count-on-child-datav2':
    'All counts of a concept are returned. The incumbent returns the last one, and none in NORMAL.',
  'format-count-on-child-normal':
    'All counts of a concept are returned. The incumbent returns the last one, and none in NORMAL.',
  'format-cycle-dataid':
    'A link back to a containing concept is left out, so the result is a tree and can be encoded as JSON.',
  'format-cycle-datav2':
    'A link back to a containing concept is left out, so the result is a tree and can be encoded as JSON.',
  'format-cycle-justdata':
    'A link back to a containing concept is left out, so the result is a tree and can be encoded as JSON.',
  'format-internal-array-dataid':
    'A list inside a record occurs once, under its key and in its order. In the incumbent it occurs twice, reversed.',
  'format-internal-array-datav2':
    'A list inside a record occurs once, under its key and in its order. In the incumbent it occurs twice, reversed.',
  'format-internal-array-justdata':
    'A list inside a record occurs once, under its key and in its order. In the incumbent it occurs twice, reversed.',
  'format-internal-array-of-objects-dataid':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-array-of-objects-dataid-asc':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-array-of-objects-datav2':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-array-of-objects-datav2-asc':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-array-of-objects-justdata':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-array-of-objects-justdata-asc':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-array-of-objects-normal':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-array-of-objects-normal-asc':
    'Each record of a list occurs once, in order. The incumbent adds an empty entry for each.',
  'format-internal-composition-dataid':
    'The internal data of a record occurs once, under its key. In the incumbent it occurs under two or three keys, one of them a value.',
  'format-internal-composition-datav2':
    'The internal data of a record occurs once, under its key. In the incumbent it occurs under two or three keys, one of them a value.',
  'format-legacy-linker-datav2':
    'The internal data of a record occurs once, under its key. In the incumbent it also occurs under its value.',
  'format-manylinks-normal-asc':
    'NORMAL respects the order like every other format. The incumbent always returns the newest first.',
  'format-missing-target-dataid':
    'A root without remaining links is an empty record of its type. In the incumbent it has no data.',
  'format-missing-target-datav2':
    'A root without remaining links is an empty record of its type. In the incumbent it has no data.',
  'format-missing-target-normal':
    'A root without remaining links is an empty record of its type. In the incumbent it has no data.',
  'format-no-links-dataid':
    'A root without connections is returned with its text. In the incumbent it is missing or has no data.',
  'format-no-links-datav2':
    'A root without connections is returned with its text. In the incumbent it is missing or has no data.',
  'format-no-links-justdata':
    'A root without connections is returned with its text. In the incumbent it is missing or has no data.',
  'format-no-links-normal':
    'A root without connections is returned with its text. In the incumbent it is missing or has no data.',
  'format-no-nested-type-dataid':
    'Types are always known, so keys are their names. The incumbent uses "self" or "none".',
  'format-no-nested-type-datav2':
    'Types are always known, so keys are their names. The incumbent uses "self" or "none".',
  'format-no-nested-type-justdata':
    'Types are always known, so keys are their names. The incumbent uses "self" or "none".',
  'format-no-nested-type-normal':
    'Types are always known, so keys are their names. The incumbent uses "self" or "none".',
  'format-reverse-many-dataid':
    'A reverse link occurs once, without the link back, so the result can be encoded as JSON.',
  'format-reverse-many-justdata':
    'A reverse link occurs once, without the link back, so the result can be encoded as JSON.',
  'format-reverse-many-normal':
    'A reverse link occurs once, without the link back, so the result can be encoded as JSON.',
  'format-reverse-single-justdata':
    'A reverse link occurs once, without the link back, so the result can be encoded as JSON.',
  'format-reverse-single-normal':
    'A reverse link occurs once, without the link back, so the result can be encoded as JSON.',
  'format-shared-child-dataid':
    'In DATAID a single text has no date, even if a list also links to it. In the incumbent it then has one.',
  'format-single-link-twice-dataid':
    'The newest of two single links is returned, which is the edited value. The incumbent returns the oldest.',
  'format-single-link-twice-justdata':
    'The newest of two single links is returned, which is the edited value. The incumbent returns the oldest.',
  'link-GetRelation-reverse':
    'A record that is reached over a reverse link has its fields. In the incumbent it is empty.',
  'link-GetRelationNew':
    'A record without loaded fields is an empty record, and has a date like every record. In the incumbent it is an empty text.',
  'search-RecursiveSearchApi-nothing-preloaded':
    'The connections inside the compositions are loaded. The incumbent returns empty compositions.',
}
