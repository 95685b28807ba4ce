package graph

import "context"

// A Usage is the number of records that a user owns, and the number of bytes of their values.
type Usage struct {
	Records int64 `json:"records"` // concepts and connections
	Bytes   int64 `json:"bytes"`
}

// Quotas limit the records of each user (Users) and the records that Anonymous owns on behalf of all guests
// (Guests). A limit of 0 means no limit, so the zero value limits nothing.
type Quotas struct{ Users, Guests Usage }

// LimitsOf returns the limits of a user. System has none.
func (q Quotas) LimitsOf(user ID) Usage {
	switch user {
	case System:
		return Usage{}
	case Anonymous:
		return q.Guests
	default:
		return q.Users
	}
}

// Check returns a TooLarge error if a batch that adds records would exceed the limit. before is the usage of the
// user without the batch. A batch that only removes records is never refused.
func (limit Usage) Check(before, added Usage) error {
	switch {
	case limit.Records > 0 && added.Records > 0 && before.Records+added.Records > limit.Records:
		return Errorf(TooLarge, "the owner has %d records and the batch adds %d; the quota is %d: remove some first, or ask the operator for more",
			before.Records, added.Records, limit.Records)
	case limit.Bytes > 0 && added.Bytes > 0 && before.Bytes+added.Bytes > limit.Bytes:
		return Errorf(TooLarge, "the texts of the owner have %d bytes and the batch adds %d; the quota is %d: remove some first, or ask the operator for more",
			before.Bytes, added.Bytes, limit.Bytes)
	}
	return nil
}

// A UsageKeeper is a store that counts the records of each user, in the same transactions that write the batches. The
// capability is optional.
type UsageKeeper interface {
	// SetQuotas sets the quotas for later batches: a batch whose user would exceed them is refused with a TooLarge
	// error.
	SetQuotas(q Quotas)
	// Usage returns the usage of a user.
	Usage(ctx context.Context, owner ID) (Usage, error)
}
