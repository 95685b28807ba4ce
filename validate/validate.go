// Package validate holds the rules of form fields: which values a field takes, which data type a text is of,
// and which values stand out among those of their type. The sentences are for the people who fill in a form,
// so they read the same wherever a rule is run.
package validate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Field says what it asks of a value. What is left out asks nothing.
type Field struct {
	Name      string   `json:"name"`
	Required  bool     `json:"required"`
	DataType  DataType `json:"dataType"` // one that is not in DataTypes asks nothing
	Pattern   string   `json:"pattern"`  // found anywhere in the value
	MaxLength *int     `json:"maxLength"`
	MinLength *int     `json:"minLength"`
	MinValue  *float64 `json:"minValue"` // asks nothing of a value that is no number
	MaxValue  *float64 `json:"maxValue"`
	Accept    string   `json:"accept"`      // file name extensions without their dots, between commas
	Type      string   `json:"conceptType"` // of the concept that the value becomes
	Unique    bool     `json:"isUnique"`
}

// An Input is what somebody put into a field. A value that is missing is the empty one.
type Input struct {
	Value string `json:"value"`
	File  string `json:"file"` // the name of a file; "" when there is none
}

// Messages are what is wrong with an input, by the name of the rule. An input without any is good.
type Messages map[string]string

// Taken says whether a concept of a type has a value already.
type Taken func(typ, value string) (bool, error)

// Check holds an input against every rule. An empty value is only held against Required. It returns an
// Invalid error for a pattern that is none, and the errors of taken.
//
// Patterns are those of Go's package regexp, which takes a time linear in the value.
func (f Field) Check(in Input, taken Taken) (Messages, error) {
	found := Messages{}
	if f.Required && in.Value == "" {
		found["required"] = fmt.Sprintf("The field %s is required.", f.Name)
	}
	f.file(in.File, found)
	if in.Value == "" {
		return found, nil
	}
	if !f.DataType.Accepts(in.Value) {
		found["dataType"] = fmt.Sprintf("Invalid value for %s", f.DataType)
	}
	f.length(in.Value, found)
	f.size(in.Value, found)
	if err := f.pattern(in.Value, found); err != nil {
		return nil, err
	}
	return found, f.unique(in.Value, taken, found)
}

func (f Field) pattern(value string, found Messages) error {
	if f.Pattern == "" {
		return nil
	}
	pattern, err := regexp.Compile(f.Pattern)
	if err != nil {
		return graph.Errorf(graph.Invalid, "the pattern %q of the field %q cannot be read", graph.Clip(f.Pattern), f.Name)
	}
	if !pattern.MatchString(value) {
		found["pattern"] = "Pattern doesn't match with value"
	}
	return nil
}

func (f Field) length(value string, found Messages) {
	n := Length(value)
	if f.MaxLength != nil && n > *f.MaxLength {
		found["maxLength"] = fmt.Sprintf("Length exceeds the maximum length of %d", *f.MaxLength)
	}
	if f.MinLength != nil && n < *f.MinLength {
		found["minLength"] = fmt.Sprintf("Length must be at least %d characters long", *f.MinLength)
	}
}

func (f Field) size(value string, found Messages) {
	n, ok := number(value)
	if !ok {
		return
	}
	if f.MinValue != nil && n < *f.MinValue {
		found["minValue"] = "Value must be greater than or equal to " + written(*f.MinValue)
	}
	if f.MaxValue != nil && n > *f.MaxValue {
		found["maxValue"] = "Value must be less than or equal to " + written(*f.MaxValue)
	}
}

// written is a number as JavaScript writes it.
func written(n float64) string {
	text, err := json.Marshal(n)
	if err != nil {
		return fmt.Sprint(n)
	}
	return string(text)
}

// file compares extensions; a name without a dot is compared whole.
func (f Field) file(name string, found Messages) {
	if f.Accept == "" || name == "" {
		return
	}
	accepted := strings.Split(f.Accept, ",")
	extension := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for i, one := range accepted {
		accepted[i] = strings.ToLower(strings.TrimSpace(one))
		if accepted[i] == extension {
			return
		}
	}
	found["accept"] = "File must be a valid file type: " + strings.Join(accepted, ", ")
}

func (f Field) unique(value string, taken Taken, found Messages) error {
	if !f.Unique || f.Type == "" || taken == nil {
		return nil
	}
	yes, err := taken(graph.WithPrefix(f.Type), value)
	if yes {
		found["unique"] = "Value is not unique"
	}
	return err
}
