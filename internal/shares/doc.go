// Package shares divides bounded resources among owners (users, and networks of guests), so that no owner can use up a resource.
//
//	Rates   how often an owner may do something
//	Gate    how much of a resource an owner holds; refuses immediately
//	Turns   how many queries run concurrently; queries wait for a turn, for a bounded time
//
// A Gate has no fixed maximum per owner, unless one is set: an owner may hold up to three times the free amount, and can
// always take its first place while any place is free. A single owner can therefore hold three quarters of the total, two
// owners three sevenths each, and n owners 3/(3n+1) each; the rest stays free for owners that hold no place yet.
//
// Turns distinguish owners by the duration of their recent queries. Owners of short queries run several concurrently;
// owners of long queries run fewer queries than there are processors, and their other queries wait. This leaves a
// processor for other owners, however many long queries one owner sends.
//
// Reasons for the design: docs/decisions/0023.
package shares
