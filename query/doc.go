// Package query runs schema queries on any graph.Reader. A query is a tree: roots of one type, and hops over typed
// connections from the results of the node above. Filters, combined by a logic expression, decide which roots pass.
//
// # Pipeline
//
//	JSON                                                                          files
//	 │  parse     JSON → Query; limits and contradictions are checked             parse, check, query, filter, logic
//	 ▼
//	Query
//	 │  bind      names → ids; the logic expression → expression over nodes       tree, clause, resolve, bind
//	 ▼
//	boundQuery
//	 │  plan      expressions → sets (graph.Set); sizes are estimated;            set, hop, union, estimate,
//	 │            value filters with few matches are resolved                     values, limits
//	 ▼
//	sets in the order of their estimated sizes
//	 │  execute   find a page of roots                                            run, roots, search, windows
//	 │            evaluate sets                                                   evaluate, fallback, candidates, idset
//	 │            follow hops from the page, level by level                       step, inside
//	 │            in the order of values: walk through the values                 order, order_walk, order_cursor
//	 │            with filters: keep only what leads to matches                   scope, prune, traversal
//	 │            aggregate over all roots                                        aggregate
//	 ▼
//	Answer (ids, counts, groups, Plan)                                            answer, explain
//	 │  project   ids → records                                                   format, shape, shape_data
//	 ▼
//	composition.Value
//
// Parse, Run and Shape are the entries of the three parts. Execution interleaves with planning: the search for roots
// tries the next plan if one turns out to be too expensive.
//
// The operators of filters are declared in graph/predicate.go; the comment on graph.Op lists what a new operator changes.
// The TypeScript twin of this package, with the operators, is web/client/src/query.
//
// # Cost
//
// N is the number of roots on the page, and L the number of levels of the query. A request is one call of the reader.
//
// Without filters, a query takes two requests for the roots, one per level and direction, and two per paged hop. The
// work is proportional to the connections of the results.
//
// Set algebra (set, union). Expressions become intersections, unions and complements without reading anything. Unions
// over the same hop are merged into one hop to a union, so a thousand alternatives cost little more than one. The
// operand of an intersection with the smallest estimate comes first, because its members are enumerated and the others
// are only checked.
//
// Resolved value filters (values). With a graph.Selector, filters by value below the root are resolved to ids first,
// if they match at most limits.maxValueMatches concepts. This takes at most maxValueRequests requests, and replaces
// reading the value of every candidate.
//
// Gathering (search). All members of the smallest operand are found and the other operands are checked on them. The
// cost is proportional to the size of that operand. Attempts are bounded by a limit that grows eightfold.
//
// Windows (windows). Instances of the root type are scanned in the order of the answer and all operands are checked
// on each window, until the page is full. Windows grow fourfold, up to limits.maxWindow. The cost is proportional to the page size divided by
// the share of roots that pass. Windows and gathering alternate, so that the total cost stays within a constant
// factor of the cheaper one.
//
// Order by values (order, order_walk). With a graph.KeyReader, a page costs about three requests and the values and roots on it,
// at any position in the list; a filter multiplies this by the inverse of the share that passes, until gathering the
// roots that pass is cheaper. Other readers, and an order by a connection without a type, gather and sort all roots that
// pass.
//
// Checking candidates (candidates). Without a graph.Selector, or for many similar sets, the operands are checked on
// all candidates together. Concepts and hops of the candidates are read once, however many operands need them; later
// operands are checked only on the candidates that passed the earlier ones.
//
// Pruning (scope, prune, traversal). With filters, all hops that lead to filtered nodes are followed from the N roots
// to the end, one request per level. The connections that do not lead to a match are then dropped in memory, in time
// linear in the connections read. Other hops and selectors are followed afterwards, from the remaining concepts only.
//
// Projection (shape_data). Three requests: connections if the answer does not contain them, concepts, and their types.
//
// # Limits
//
// MaxRows bounds the concepts and connections read, MaxLinks the connections held in memory and those of the answer, and
// MaxSetMembers the members of one set. A query that exceeds one of them fails with graph.TooLarge. The limits in
// check.go bound the query itself.
//
// Reasons for the design: docs/decisions/0017.
package query
