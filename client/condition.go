package client

import (
	"fmt"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Condition is a condition on records, for Find. A field has its name in the schema; a field of a nested record is named
// by a path, such as "address.city". A condition that the schema does not allow makes the query return an Invalid error,
// which names the field.
//
// Text is compared without regard to case. If a record has no value for a field with a default, the default is compared.
type Condition struct {
	op      string
	field   string
	operand []any
	inside  []Condition
}

// Eq holds for records whose field has the value. If the value is nil, Eq holds for records without a value.
func Eq(field string, value any) Condition { return compare("=", field, value) }

// Ne is the negation of Eq. It also holds for records without a value.
func Ne(field string, value any) Condition { return Not(Eq(field, value)) }

// Gt holds for records whose field is greater than the value.
func Gt(field string, value any) Condition { return compare(">", field, value) }

// Gte holds for records whose field is the value or greater.
func Gte(field string, value any) Condition { return compare(">=", field, value) }

// Lt holds for records whose field is less than the value.
func Lt(field string, value any) Condition { return compare("<", field, value) }

// Lte holds for records whose field is the value or less.
func Lte(field string, value any) Condition { return compare("<=", field, value) }

// In holds for records whose field has one of the values.
func In[V any](field string, values ...V) Condition {
	c := Condition{op: "in", field: field}
	for _, v := range values {
		c.operand = append(c.operand, v)
	}
	return c
}

// Contains holds for records whose field contains the text.
func Contains(field, text string) Condition { return compare("contains", field, text) }

// StartsWith holds for records whose field starts with the text.
func StartsWith(field, text string) Condition { return compare("startsWith", field, text) }

// Like holds for records whose field contains, in order, the parts of the pattern between its percent signs.
func Like(field, pattern string) Condition { return compare("like", field, pattern) }

// Exists holds for records with a value in the field, or with a linked record.
func Exists(field string) Condition { return Condition{op: "exists", field: field} }

// Missing is the negation of Exists.
func Missing(field string) Condition { return Not(Exists(field)) }

// Has holds for records whose list contains all of the values. It must be a direct argument of Find, not inside
// And, Or, Not or Linked.
func Has[V any](field string, values ...V) Condition {
	c := In(field, values...)
	c.op = "has"
	return c
}

// HasSome holds for records whose list contains one of the values. It must be a direct argument of Find, not
// inside And, Or, Not or Linked.
func HasSome[V any](field string, values ...V) Condition {
	c := In(field, values...)
	c.op = "hasSome"
	return c
}

// And holds for records for which all conditions hold.
func And(conditions ...Condition) Condition { return Condition{op: "and", inside: conditions} }

// Or holds for records for which at least one of the conditions holds.
func Or(conditions ...Condition) Condition { return Condition{op: "or", inside: conditions} }

// Not holds for records for which the condition does not hold.
func Not(condition Condition) Condition { return Condition{op: "not", inside: []Condition{condition}} }

// Linked holds for records whose link leads to at least one record that meets all the conditions.
func Linked(link string, conditions ...Condition) Condition {
	return Condition{op: "linked", field: link, inside: conditions}
}

// Every holds for records if all targets of the link meet all the conditions. Records without targets also pass.
func Every(link string, conditions ...Condition) Condition {
	return Not(Linked(link, Not(And(conditions...))))
}

// HasID holds for the records with the given ids.
func HasID(ids ...graph.ID) Condition { return In("id", ids...) }

// CreatedAfter holds for records that were created after a time. Times are compared in milliseconds.
func CreatedAfter(at time.Time) Condition { return compare(">", createdField, at) }

// CreatedBefore holds for records that were created before a time.
func CreatedBefore(at time.Time) Condition { return compare("<", createdField, at) }

const createdField = "_createdAt"

func compare(op, field string, value any) Condition {
	return Condition{op: op, field: field, operand: []any{value}}
}

// refuse returns an Invalid error that names the field of a condition.
func (c Condition) refuse(format string, args ...any) error {
	return graph.Errorf(graph.Invalid, "the condition on %q %s", graph.Clip(c.field), fmt.Sprintf(format, args...))
}
