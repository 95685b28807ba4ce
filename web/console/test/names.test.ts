import { expect, test } from 'vitest'
import { namesOf } from '../src/model/names.ts'

test.each([
  ['the_order', 'Orders'],
  ['the_category', 'Categories'],
  ['the_address', 'Addresses'],
  ['the_child', 'Children'],
  ['the_child_widget', 'Child widgets'],
  ['the_contact_person', 'Contact people'],
  ['the_constructor', 'Constructors'],
])('the plural of %s is %s', (type, plural) => {
  expect(namesOf(type).many).toBe(plural)
})
