import type { Concept } from './concept.ts'
import { anonymousUser, NORMAL } from './constants.ts'

/** A condition of a schema query. */
export class FilterSearch {
  type = ''
  search = ''
  logicoperator = '='
  index = 0
  composition = true
  name = ''
  /** Name of the query whose concepts are tested. */
  operateon = ''
}

/** A schema query: a root, and one query for each hop from it. */
export class FreeschemaQuery {
  type = ''
  inpage = 10
  page = 1
  concepts: Concept[] = []
  conceptIds: number[] = []
  selectors: string[] = []
  freeschemaQueries: FreeschemaQuery[] = []
  filters: FilterSearch[] = []
  filterLogic = ''
  typeConnection = ''
  order = 'DESC'
  outputFormat: number = NORMAL
  name = ''
  filterAncestor = ''
  reverse = false
  limit = false
  isSecure = false
  includeInFilter = false
  isOldConnectionType = false
  cache = true
}

/** One hop of a search along linkers. */
export class SearchQuery {
  composition = 0
  type = ''
  linker = ''
  inpage = 10
  page = 1
  listLinkers: string[] = []
  fullLinkers: string[] = []
  textSearch = ''
  logic = 'or'
  reverse = false
  doFilter = false
  filterSearches: FilterSearch[] = []
  selectors: string[] = []
  ofCompositions: number[] = []
}

/** A search for compositions by their text. */
export class SearchStructure {
  type = ''
  search = ''
  composition = ''
  internalComposition = ''
  userId: number = anonymousUser
  inpage = 10
  page = 1
  auth = true
}

/** Number of connections of a type that a concept has. */
export class CountInfo {
  conceptId = 0
  connectionTypeId = 0
  connectionType = ''
  count = 0
}
