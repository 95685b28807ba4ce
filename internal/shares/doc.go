// Package shares divides bounded resources among owners: users, and networks of guests. An owner cannot use up a resource for others.
//
//	Rates   how often an owner may do something
//	Gate    how much of a resource an owner holds at once; refuses immediately
//	Turns   how many queries run at once; queries wait for a turn, for a bounded time
//
// A Gate has no fixed maximum per owner, unless one is set: an owner may hold up to three times what is free, and a first place
// whenever there is one. A single owner therefore gets three quarters of the total, two owners get three sevenths each, and n
// owners 3/(3n+1) each; the rest is free for those who hold nothing yet.
//
// Turns distinguish owners by the duration of their recent queries. Owners of short queries run several at once; owners of
// long ones run fewer than there are processors, and wait in line. So a processor is left for the others, however many long
// queries one owner sends.
//
// Reasons for the design: docs/decisions/0023.
package shares
