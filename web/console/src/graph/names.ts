import { fieldLabel, namesOf } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'
import type { LinkGroup, NodeInfo } from './api.ts'

/** Returns the displayed name of a node: its label, or the name of its type for a record without a name. */
export const nodeName = ({ label, type }: Pick<NodeInfo, 'label' | 'type'>): string =>
  label || namesOf(type).one

/** Returns the type that a link belongs to: `the_order` for `the_order_customer`; empty if none is known. */
export function sourceType(types: readonly ConsoleType[], link: string): string {
  return types
    .map(({ name }) => name)
    .filter((name) => link.startsWith(`${name}_`))
    .reduce((longest, name) => (name.length > longest.length ? name : longest), '')
}

/** Returns the displayed name of a link: "Customer" for `the_order_customer`. */
export function linkName(types: readonly ConsoleType[], link: string): string {
  if (link === '') return 'Part'
  return fieldLabel(link, sourceType(types, link))
}

/** Returns the name of a link group at a node: "Customer", or "Order › Customer" for links that end at the node. */
export function groupName(types: readonly ConsoleType[], { type, reverse }: LinkGroup): string {
  if (type === '') return reverse ? 'Part of' : 'Fields and parts'
  const source = sourceType(types, type)
  const field = fieldLabel(type, source)
  return reverse && source !== '' ? `${namesOf(source).one} › ${field}` : field
}
