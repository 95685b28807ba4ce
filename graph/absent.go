package graph

import "errors"

// Absent is the condition that no instance has one of Values, whoever may read it, before the batch is written. If one has, the batch
// is refused with ErrPresent.
//
// A store that several servers share also takes Locks until the batch is written, which are keys of its LockValues. It does not wait
// for a key that another server, or another batch that is written at the same time, holds: it refuses the batch with ErrPresent. Other
// stores ignore Locks, because they write one batch after another.
type Absent struct {
	Values []TypedValue
	Locks  []int32
}

// A TypedValue is the value of an instance of a type. The value is shared; see IsShared.
type TypedValue struct {
	Type  ID
	Value string
}

// ErrPresent is the cause of the Conflict error for a batch whose condition Absent does not hold.
var ErrPresent = errors.New("the value exists or is being written")

// Check returns the error for a batch with this condition, or nil if the condition holds. The function has reports whether there is an
// instance with a value.
func (a *Absent) Check(has func(TypedValue) (bool, error)) error {
	if a == nil {
		return nil
	}
	for _, v := range a.Values {
		if exists, err := has(v); err != nil {
			return err
		} else if exists {
			return a.Refusal()
		}
	}
	return nil
}

// Refusal returns the error for a batch whose condition does not hold.
func (a *Absent) Refusal() error {
	return Wrap(Conflict, ErrPresent, "a value that must be new exists or is being written")
}
