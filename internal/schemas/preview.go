package schemas

import (
	"context"
	"errors"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

const (
	// maxPreviewRecords is the maximum number of stored records that a preview reads.
	maxPreviewRecords = 20_000
	// maxPreviewIDs is the maximum number of records that a preview names for each violated rule.
	maxPreviewIDs = 100
)

// A Preview describes the changes of a push, and the stored records that would violate the changed types.
type Preview struct {
	Differences []schema.Difference
	Records     int  // number of records that were checked
	Complete    bool // false if there are more records than a preview checks
	Violations  []RuleViolations
}

// RuleViolations describes the violations of one rule of a field.
type RuleViolations struct {
	Type    string     `json:"type"`
	Field   string     `json:"field"`
	Rule    string     `json:"rule"`
	Message string     `json:"message"` // the sentence for the first record
	Count   int        `json:"count"`   // number of records
	Records []graph.ID `json:"records"` // the first maxPreviewIDs records that violate the rule
}

// PreviewPush returns the changes that Push would make, without making them. It checks the records of the changed types in
// order of types and ids, and stops after maxPreviewRecords records. The errors are those of Push.
func PreviewPush(ctx context.Context, r graph.Reader, s *schema.Schema, prune bool) (Preview, error) {
	m, err := mergeInto(ctx, r, s, prune)
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Differences: m.differences, Complete: true, Violations: []RuleViolations{}}
	rules, err := newRules(ctx, r, m.schema)
	if err != nil || rules == nil {
		return preview, err
	}
	for _, name := range changedTypes(m.differences) {
		typ := m.schema.Types[name]
		if typ == nil {
			continue // removed
		}
		p := reporter{reader: r, rules: rules, typ: typ, visit: preview.add, read: preview.read}
		if err := p.run(ctx); errors.Is(err, errPreviewFull) {
			preview.Complete = false
			return preview, nil
		} else if err != nil {
			return Preview{}, err
		}
	}
	return preview, nil
}

// errPreviewFull ends a preview that has checked maxPreviewRecords.
var errPreviewFull = errors.New("the preview has checked the maximum number of records")

// read counts a page of records before it is checked. It returns errPreviewFull if the preview would check more than
// maxPreviewRecords.
func (p *Preview) read(records int) error {
	if p.Records+records > maxPreviewRecords {
		return errPreviewFull
	}
	p.Records += records
	return nil
}

// add counts a violation. A violation by an item of a list is a violation of the list: tags.0 and tags.1 count for
// tags.
func (p *Preview) add(v Violation) error {
	field := fieldWithoutIndex(v.Field)
	i := slices.IndexFunc(p.Violations, func(seen RuleViolations) bool {
		return seen.Type == v.Type && seen.Field == field && seen.Rule == v.Rule
	})
	if i < 0 {
		i = len(p.Violations)
		p.Violations = append(p.Violations, RuleViolations{Type: v.Type, Field: field, Rule: v.Rule, Message: v.Message})
	}
	found := &p.Violations[i]
	if n := len(found.Records); n > 0 && found.Records[n-1] == v.Record {
		return nil // another item of the same list
	}
	found.Count++
	if len(found.Records) < maxPreviewIDs {
		found.Records = append(found.Records, v.Record)
	}
	return nil
}

// fieldWithoutIndex returns the path of a field up to the first index of a list.
func fieldWithoutIndex(path string) string {
	for i := 1; i < len(path); i++ {
		if path[i-1] == '.' && path[i] >= '0' && path[i] <= '9' {
			return path[:i-1]
		}
	}
	return path
}
