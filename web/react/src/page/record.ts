import type { Query } from '@weft/client'
import { memberOf, readWidget, type Widget } from './widget.ts'

/** How many widgets deep a stored widget is asked for. */
const depth = 5

/** Asks for a widget and the widgets inside it, for the format DATAID. */
export function widgetQuery(id: number): Query {
  return { conceptIds: [id], selectors, hops: [children(depth)] }
}

const selectors = ['the_widget_name', 'the_widget_html', 'the_widget_css']

function children(levels: number): Query {
  return {
    connection: 'the_widget_s_child',
    selectors: ['the_child_widget_wrapper'],
    hops: [
      {
        connection: 'the_child_widget_info',
        selectors,
        ...(levels > 1 && { hops: [children(levels - 1)] }),
      },
    ],
  }
}

/** Builds the widget tree out of an entry of that query's answer. */
export const widgetOf = (entry: unknown): Widget => readWidget(plainWidget(entry))

/** An entry is `{ id, data: { the_widget: { the_widget_name: { data: { the_name } } } } }`. */
function plainWidget(entry: unknown): unknown {
  const fields = typed(entry, 'the_widget')
  return {
    id: memberOf(entry, 'id'),
    name: typed(memberOf(fields, 'the_widget_name'), 'the_name'),
    html: typed(memberOf(fields, 'the_widget_html'), 'the_html'),
    css: typed(memberOf(fields, 'the_widget_css'), 'the_css'),
    children: many(memberOf(fields, 'the_widget_s_child')).map(plainChild),
  }
}

function plainChild(entry: unknown): unknown {
  const fields = typed(entry, 'the_child_widget')
  return {
    wrapper: typed(memberOf(fields, 'the_child_widget_wrapper'), 'the_wrapper'),
    widget: plainWidget(memberOf(fields, 'the_child_widget_info')),
  }
}

const typed = (entry: unknown, type: string): unknown => memberOf(memberOf(entry, 'data'), type)

const many = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
