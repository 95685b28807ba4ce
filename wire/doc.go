// Package wire holds the messages that cross the network, in the words clients of the contract use.
//
// A connection's ends are ofTheConceptId and toTheConceptId here and nowhere deeper. Decoding is
// tolerant: member names match whatever their case, numbers may come as text, unknown members are
// ignored. Encoding is exact.
package wire
