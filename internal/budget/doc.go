// Package budget divides a fixed amount of memory among the requests of a server, so that no request, and no owner of
// many requests, exhausts the memory of the process.
//
// A Budget is a number of bytes. Each request has an Account, which belongs to an owner: a user, or the network of a guest.
// Code that is about to hold memory for the request charges this memory to the account. Close returns all charged memory.
//
// The server uses accounts as follows.
//
//   - The dispatcher opens the account of a request, puts it into the context and closes it after the response.
//   - A body is charged as it arrives. The estimated cost of decoding is charged before the handler runs.
//   - Stores charge the text in the rows that they read (Charge).
//   - The loader of widgets waits for the memory for parsing (Account.Wait).
//
// # Shares
//
// One request may hold half of the total T; for more, the error is TooLarge. All other refusals are Unavailable.
//
// An owner may hold as much as is free at that time, and always minShare if that much is free. A single owner can therefore hold T/2. When n owners
// request as much as possible, each will hold T/(n+1) as earlier requests end, and T/(n+1) remains free for the next owner, without configuration and
// without knowing the owners in advance. The rule is the dynamic threshold of shared-memory switches (Choudhury and Hahne, 1998).
//
// Grow and Charge refuse immediately, because their callers hold connections to the store or to the client. Wait is for
// callers that hold no connection: it waits up to maxWait, and released memory goes to the waiting owner that holds the
// least memory.
//
// # Costs
//
//	Charge without an account   one look-up in the context
//	Charge of an account        an uncontended lock; the budget is locked once for each 64 KiB
//	first uncounted bytes       free: small requests never lock the budget
package budget
