/** The example queries. The queries about pages have results on every server that serves this site. */
export const examples: readonly { readonly title: string; readonly query: object }[] = [
  {
    title: 'Pages of this site',
    query: {
      type: 'the_page',
      order: 'ASC',
      inpage: 30,
      selectors: ['the_page_slug', 'the_page_title'],
    },
  },
  {
    title: 'Pages whose address contains “/product”',
    query: {
      type: 'the_page',
      selectors: ['the_page_slug', 'the_page_title', 'the_page_meta_description'],
      freeschemaQueries: [{ name: 'slug', typeConnection: 'the_page_slug' }],
      filters: [
        { name: 'product', operateon: 'slug', logicoperator: 'like', search: '%/product%' },
      ],
      filterLogic: 'product',
    },
  },
  {
    title: 'Pages and the widgets inside them',
    query: {
      type: 'the_page',
      inpage: 3,
      selectors: ['the_page_slug'],
      freeschemaQueries: [
        {
          typeConnection: 'the_page_body',
          selectors: ['the_widget_name'],
          freeschemaQueries: [
            {
              typeConnection: 'the_widget_s_child',
              freeschemaQueries: [
                { typeConnection: 'the_child_widget_info', selectors: ['the_widget_name'] },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    title: 'Counts of page types and bodies',
    query: {
      type: 'the_page',
      inpage: 1,
      selectors: ['the_page_title'],
      freeschemaQueries: [
        { name: 'layouts', typeConnection: 'the_page_type', aggregate: 'group' },
        { name: 'bodies', typeConnection: 'the_page_body', aggregate: 'distinct' },
      ],
    },
  },
  {
    title: 'Open notes of the demo',
    query: {
      type: 'the_note',
      selectors: ['self'],
      freeschemaQueries: [{ name: 'inside', typeConnection: 'self' }],
      filters: [{ name: 'done', operateon: 'inside', type: 'the_done', search: 'true' }],
      filterLogic: 'NOT done',
    },
  },
  {
    title: 'WordNet: more general words for “dog”',
    query: {
      type: 'the_word',
      filters: [{ name: 'dog', search: 'dog' }],
      filterLogic: 'dog',
      freeschemaQueries: [
        {
          typeConnection: 'the_word_s_sense',
          includeInFilter: true,
          freeschemaQueries: [
            {
              typeConnection: 'the_synset_s_sense',
              reverse: true,
              selectors: ['the_synset_gloss'],
              freeschemaQueries: [
                {
                  typeConnection: 'the_synset_s_hypernym',
                  depth: 10,
                  selectors: ['the_synset_gloss'],
                },
              ],
            },
          ],
        },
      ],
    },
  },
]

export const formatQuery = (query: object): string => JSON.stringify(query, undefined, 2)
