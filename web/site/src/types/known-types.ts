/** Suggestions: a selection of the types that this site and the imports use. A store may lack some of them. */
export const knownTypeNames: readonly string[] = [
  ...['slug', 'title', 'body', 'type', 'meta_title', 'meta_description'].map(
    (n) => `the_page_${n}`,
  ),
  ...['name', 'html', 'css', 'type', 's_child', 'latest', 'root'].map((n) => `the_widget_${n}`),
  'the_child_widget_info',
  ...['the_note', 'the_text', 'the_done', 'the_idea', 'the_person', 'the_user', 'the_name'],
  ...['the_customer_name', 'the_order_status', 'the_line_product', 'the_product_title'],
  ...['the_word_s_sense', 'the_sense_frequency', 'the_synset_gloss', 'the_synset_s_sense'],
  ...['the_synset_s_hypernym', 'the_sense_s_antonym', 'the_gloss', 'the_example', 'the_form'],
]

/** Ids of the concepts that every new store contains (graph/fixed.go). */
export const fixedConceptIds: readonly number[] = [
  1, 4, 5, 12, 15, 16, 49, 51, 5121, 5122, 5123, 5124,
]
