// Package wire defines the JSON messages of the HTTP contract, under the names that its clients use. The server and the
// Go client share it; apart from benchmarks and tests, no other package uses these names. The ends of a connection, for example, are ofTheConceptId
// and toTheConceptId here, and From and To everywhere else.
//
// Decoding is lenient: member names match in any case, numbers may arrive as text, and unknown members are ignored
// (see Int, Text, Bool and Time). Encoding is exact; AppendJSON methods write the same bytes as encoding/json
// without its allocations.
//
//	message                              converts to or from
//	Concept, Connection                  graph.Concept, graph.Connection
//	Sync, NewConcept, NewConnection      the drafts of a graph.Batch
//	Prototype                            a graph.Batch
//	Query, Filter, Answer, Groups        query.Query, query.Filter, query.Answer, query.Groups
//	Fields                               the form, multipart or JSON body of a small request
//	Ready, Change, CompositionUpdate     events of the change stream
package wire
