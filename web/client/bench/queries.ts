import { Graph } from '../src/local/graph.ts'
import type { Concept } from '../src/model/concept.ts'
import type { Connection } from '../src/model/connection.ts'
import type { Id } from '../src/model/id.ts'
import type { Filter, Query } from '../src/query/query.ts'
import { executeFilteredQuery } from '../src/query/run-filtered.ts'

/** A filtered query over 100,000 concepts, and the best hand-written loop with the same result. */
export interface Comparison {
  readonly name: string
  readonly ours: () => number
  readonly baseline: () => number
}

const items = 17_000
const names = [
  ...['the_item', 'the_price', 'the_color', 'the_maker', 'the_team', 'the_city'],
  ...['the_offer', 'the_cost', 'the_shop'],
  ...['item_price', 'item_color', 'item_maker', 'maker_team', 'team_city'],
  ...['item_s_offer', 'offer_cost', 'offer_shop'],
]
const typeId = (name: string): Id => 1_001 + names.indexOf(name)

export function comparisons(): Comparison[] {
  const { concepts, connections } = shop()
  const graph = new Graph()
  graph.add({ concepts, connections })
  const maps = new Maps(concepts, connections)
  const compare = (name: string, query: Query, byHand: () => ByHand): Comparison => {
    const [ours, expected] = [executeFilteredQuery(graph, query), byHand()]
    if (`${ours.roots}` !== `${expected.roots}` || ours.links.length !== expected.links)
      throw new Error(
        `${name}: ${ours.roots} (weft) and ${expected.roots} (by hand) are not the same`,
      )
    return {
      name,
      ours: () => executeFilteredQuery(graph, query).total,
      baseline: () => byHand().roots.length,
    }
  }
  return [
    compare('three hops away, page of 50', threeHops, () => threeHopsByHand(maps)),
    compare('a range, page of 50', range, () => rangeByHand(maps)),
    compare('OR of two hops', redOrCheap, () => redOrCheapByHand(maps)),
    compare('AND NOT', redNotCheap, () => redNotCheapByHand(maps)),
    compare('EXAND under one of many', sameOffer, () => sameOfferByHand(maps)),
  ]
}

const hop = (connection: string, name: string, hops: readonly Query[] = []): Query => ({
  connection,
  name,
  hops,
})
const itemQuery = (logic: string, filters: readonly Filter[], ...hops: Query[]): Query => ({
  type: 'the_item',
  pageSize: 50,
  hops,
  filters,
  logic,
})
const price = hop('item_price', 'price')
const color = hop('item_color', 'color')
const red: Filter = { name: 'red', on: 'color', type: 'the_color', search: 'color 3' }
const cheap: Filter = { name: 'cheap', on: 'price', type: 'the_price', op: '<', search: '40' }

const threeHops = itemQuery(
  'c',
  [{ name: 'c', on: 'city', type: 'the_city', search: 'city 7' }],
  hop('item_maker', 'm', [hop('maker_team', 't', [hop('team_city', 'city')])]),
)
const range = itemQuery(
  'from AND to',
  [
    { name: 'from', on: 'price', type: 'the_price', op: '>=', search: '400' },
    { name: 'to', on: 'price', type: 'the_price', op: '<', search: '420' },
  ],
  price,
)
const redOrCheap = itemQuery('red OR cheap', [red, cheap], price, color)
const redNotCheap = itemQuery('red AND NOT cheap', [red, cheap], price, color)
const sameOffer = itemQuery(
  'low EXAND there',
  [
    { name: 'low', on: 'cost', type: 'the_cost', op: '<', search: '30' },
    { name: 'there', on: 'shop', type: 'the_shop', search: 'shop 5' },
  ],
  hop('item_s_offer', 'offer', [hop('offer_cost', 'cost'), hop('offer_shop', 'shop')]),
)

/** The result of a loop: one page, and the number of connections that a query returns with it. */
interface ByHand {
  readonly roots: readonly Id[]
  readonly links: number
}

function threeHopsByHand(maps: Maps): ByHand {
  const cities = maps.where('the_city', (value) => value === 'city 7')
  const teams = maps.sources(cities, 'team_city')
  const makers = maps.sources(teams, 'maker_team')
  const links = new Set<Id>()
  const roots = page(maps.sources(makers, 'item_maker'))
  for (const root of roots) {
    for (const a of maps.out(root, 'item_maker')) {
      if (!makers.has(a.to)) continue
      links.add(a.id)
      for (const b of maps.out(a.to, 'maker_team')) {
        if (!teams.has(b.to)) continue
        links.add(b.id)
        for (const c of maps.out(b.to, 'team_city')) if (cities.has(c.to)) links.add(c.id)
      }
    }
  }
  return { roots, links: links.size }
}

function rangeByHand(maps: Maps): ByHand {
  const prices = maps.where('the_price', (value) => Number(value) >= 400 && Number(value) < 420)
  const roots = page(maps.sources(prices, 'item_price'))
  return { roots, links: countLinks(maps, roots, 'item_price', prices) }
}

function redOrCheapByHand(maps: Maps): ByHand {
  const reds = maps.where('the_color', (value) => value === 'color 3')
  const low = maps.where('the_price', (value) => Number(value) < 40)
  const found = maps.sources(reds, 'item_color')
  for (const id of maps.sources(low, 'item_price')) found.add(id)
  const roots = page(found)
  const links =
    countLinks(maps, roots, 'item_color', reds) + countLinks(maps, roots, 'item_price', low)
  return { roots, links }
}

function redNotCheapByHand(maps: Maps): ByHand {
  const reds = maps.where('the_color', (value) => value === 'color 3')
  const low = maps.sources(
    maps.where('the_price', (value) => Number(value) < 40),
    'item_price',
  )
  const roots = page([...maps.sources(reds, 'item_color')].filter((id) => !low.has(id)))
  return { roots, links: countLinks(maps, roots, 'item_color', reds) }
}

function sameOfferByHand(maps: Maps): ByHand {
  const costs = maps.where('the_cost', (value) => Number(value) < 30)
  const shops = maps.where('the_shop', (value) => value === 'shop 5')
  const inShop = maps.sources(shops, 'offer_shop')
  const offers = new Set([...maps.sources(costs, 'offer_cost')].filter((id) => inShop.has(id)))
  const roots = page(maps.sources(offers, 'item_s_offer'))
  return { roots, links: 3 * countLinks(maps, roots, 'item_s_offer', offers) }
}

const page = (ids: Iterable<Id>): Id[] => [...ids].sort((a, b) => b - a).slice(0, 50)

function countLinks(maps: Maps, roots: readonly Id[], type: string, to: ReadonlySet<Id>): number {
  const links = roots.flatMap((id) => maps.out(id, type).filter((c) => to.has(c.to)))
  return links.length
}

/** Plain Maps with only the indexes that these queries need. */
class Maps {
  readonly #byType = new Map<Id, Concept[]>()
  readonly #out = new Map<Id, Connection[]>()
  readonly #in = new Map<Id, Connection[]>()

  constructor(concepts: readonly Concept[], connections: readonly Connection[]) {
    const add = <T>(lists: Map<Id, T[]>, key: Id, item: T) => {
      const list = lists.get(key)
      if (list) list.push(item)
      else lists.set(key, [item])
    }
    for (const c of concepts) add(this.#byType, c.type, c)
    for (const c of connections) {
      add(this.#out, c.from, c)
      add(this.#in, c.to, c)
    }
  }

  where(type: string, holds: (value: string) => boolean): Set<Id> {
    const found = new Set<Id>()
    for (const c of this.#byType.get(typeId(type)) ?? []) if (holds(c.value)) found.add(c.id)
    return found
  }

  out(id: Id, type: string): Connection[] {
    const wanted = typeId(type)
    return (this.#out.get(id) ?? []).filter((c) => c.type === wanted)
  }

  sources(to: Iterable<Id>, type: string): Set<Id> {
    const wanted = typeId(type)
    const found = new Set<Id>()
    for (const id of to)
      for (const c of this.#in.get(id) ?? []) if (c.type === wanted) found.add(c.from)
    return found
  }
}

/** Returns items. Each has a price, a color, two offers of shops, and a maker, who is in a team, which is in a city. */
function shop(): { concepts: Concept[]; connections: Connection[] } {
  const concepts: Concept[] = names.map((name, i) => concept(1_001 + i, 51, 1, name))
  const connections: Connection[] = []
  let [next, link] = [10_000, 1_000_000]
  const make = (type: string, value: string) => {
    concepts.push(concept(++next, typeId(type), 4, value))
    return next
  }
  const connect = (from: Id, name: string, to: Id) => {
    const type = typeId(name)
    connections.push({ id: ++link, from, to, type, order: 1, owner: 999, access: 4, created: '' })
  }
  const makeMany = (n: number, type: string) =>
    Array.from({ length: n }, (_, i) => make(type, `${type.slice(4)} ${i}`))
  const [cities, teams, makers] = [
    makeMany(50, 'the_city'),
    makeMany(500, 'the_team'),
    makeMany(2_000, 'the_maker'),
  ]
  const [shops, colors] = [makeMany(40, 'the_shop'), makeMany(20, 'the_color')]
  const pick = (list: readonly Id[], n: number) => list[n % list.length] as Id
  for (const [i, team] of teams.entries()) connect(team, 'team_city', pick(cities, i * 7))
  for (const [i, maker] of makers.entries()) connect(maker, 'maker_team', pick(teams, i * 13))
  for (let i = 0; i < items; i++) {
    const item = make('the_item', '')
    connect(item, 'item_price', make('the_price', `${(i * 7_919) % 10_000}.5`))
    connect(item, 'item_color', pick(colors, i * 3))
    connect(item, 'item_maker', pick(makers, i * 17))
    for (const n of [1, 2]) {
      const offer = make('the_offer', '')
      connect(item, 'item_s_offer', offer)
      connect(offer, 'offer_cost', make('the_cost', `${(i * n * 31) % 1_000}`))
      connect(offer, 'offer_shop', pick(shops, i * n))
    }
  }
  return { concepts, connections }
}

const concept = (id: Id, type: Id, category: Id, value: string): Concept => ({
  id,
  type,
  category,
  value,
  owner: 999,
  access: 4,
  composition: value === '',
  created: '',
})
