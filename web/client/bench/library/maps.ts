import { fieldsOf } from '../data.ts'
import { Plain } from '../plain.ts'
import type { Library } from './library.ts'

/** The baseline: plain Maps, which save nothing. */
export const maps: Library = {
  name: 'plain Maps',
  async load(data) {
    const plain = new Plain()
    for (const c of data.concepts) plain.add(c)
    for (const c of data.connections) plain.connect(c)
    return {
      point: (id) => plain.concepts.get(id)?.value,
      find: (type, value) => plain.find(type, value),
      record: (id) => plain.read(id),
      watch: (id, onRead) =>
        void plain.watchers.set(id, new Set([() => plain.read(id) && onRead()])),
      update: (id, price) => plain.update(id, 'price', price),
      create: (n) => plain.create('the_note', fieldsOf(n)),
      close: () => {},
    }
  },
}
