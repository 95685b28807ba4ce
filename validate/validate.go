// Package validate checks the values of form fields. It has three parts:
//
//	Field.Check                  checks an input against the rules of a field
//	DetectDataType, DataTypes    classify values by format: number, e-mail address, date …
//	Sample, CheckAnomaly         derive the usual values of a type and report values that deviate
//
// Messages and warnings are shown to the users who fill in a form. The browser library has a twin of this package
// with the same messages; the cases in spec/validate, spec/datatype and spec/anomaly verify both.
package validate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Field holds the rules for a value. A zero field is a rule that does not apply.
type Field struct {
	Name      string   `json:"name"`
	Required  bool     `json:"required"`
	DataType  DataType `json:"dataType"`    // a data type that is not in DataTypes accepts any text
	Pattern   string   `json:"pattern"`     // a regular expression that must match some part of the value
	MaxLength *int     `json:"maxLength"`   // in UTF-16 units
	MinLength *int     `json:"minLength"`   // in UTF-16 units
	MinValue  *float64 `json:"minValue"`    // ignored for a value that is not a number
	MaxValue  *float64 `json:"maxValue"`    // ignored for a value that is not a number
	Accept    string   `json:"accept"`      // file name extensions without dots, separated by commas
	Type      string   `json:"conceptType"` // type of the concept that stores the value
	Unique    bool     `json:"isUnique"`    // no other concept of Type has the value
}

// An Input is the value that a user entered into a field, or the file that the user chose. Without an input, both
// are "".
type Input struct {
	Value string `json:"value"`
	File  string `json:"file"` // the name of a file, or ""
}

// Messages holds a message for each rule that an input violates, by the name of the rule. A valid input has none.
type Messages map[string]string

// An IsTaken function reports whether a concept of a type already has a value.
type IsTaken func(typ, value string) (bool, error)

// Check checks an input against all rules. For an empty value only Required and Accept apply. If isTaken is nil, Unique
// does not apply. The errors are Invalid for a malformed pattern and those of isTaken.
//
// Patterns use the syntax of package regexp, which runs in time linear in the value.
func (f Field) Check(in Input, isTaken IsTaken) (Messages, error) {
	found := Messages{}
	if f.Required && in.Value == "" {
		found["required"] = fmt.Sprintf("The field %s is required.", f.Name)
	}
	f.checkFile(in.File, found)
	if in.Value == "" {
		return found, nil
	}
	if !f.DataType.Accepts(in.Value) {
		found["dataType"] = fmt.Sprintf("Invalid value for %s", f.DataType)
	}
	f.checkLength(in.Value, found)
	f.checkRange(in.Value, found)
	if err := f.checkPattern(in.Value, found); err != nil {
		return nil, err
	}
	return found, f.checkUnique(in.Value, isTaken, found)
}

// checkPattern adds a message if the value does not match Pattern.
func (f Field) checkPattern(value string, found Messages) error {
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

// checkLength adds messages if the length is outside MinLength and MaxLength.
func (f Field) checkLength(value string, found Messages) {
	n := Length(value)
	if f.MaxLength != nil && n > *f.MaxLength {
		found["maxLength"] = fmt.Sprintf("Length exceeds the maximum length of %d", *f.MaxLength)
	}
	if f.MinLength != nil && n < *f.MinLength {
		found["minLength"] = fmt.Sprintf("Length must be at least %d characters long", *f.MinLength)
	}
}

// checkRange adds messages if the value is a number outside MinValue and MaxValue.
func (f Field) checkRange(value string, found Messages) {
	n, ok := parseNumber(value)
	if !ok {
		return
	}
	if f.MinValue != nil && n < *f.MinValue {
		found["minValue"] = "Value must be greater than or equal to " + formatNumber(*f.MinValue)
	}
	if f.MaxValue != nil && n > *f.MaxValue {
		found["maxValue"] = "Value must be less than or equal to " + formatNumber(*f.MaxValue)
	}
}

// formatNumber formats a number as JavaScript does.
func formatNumber(n float64) string {
	text, err := json.Marshal(n)
	if err != nil {
		return fmt.Sprint(n)
	}
	return string(text)
}

// checkFile compares the extension of a file name with Accept. A name without a dot counts as its extension.
func (f Field) checkFile(name string, found Messages) {
	if f.Accept == "" || name == "" {
		return
	}
	accepted := strings.Split(f.Accept, ",")
	extension := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for i, accept := range accepted {
		accepted[i] = strings.ToLower(strings.TrimSpace(accept))
		if accepted[i] == extension {
			return
		}
	}
	found["accept"] = "File must be a valid file type: " + strings.Join(accepted, ", ")
}

// checkUnique adds a message if another concept has the value.
func (f Field) checkUnique(value string, isTaken IsTaken, found Messages) error {
	if !f.Unique || f.Type == "" || isTaken == nil {
		return nil
	}
	exists, err := isTaken(graph.WithPrefix(f.Type), value)
	if exists {
		found["unique"] = "Value is not unique"
	}
	return err
}
