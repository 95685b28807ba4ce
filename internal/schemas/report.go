package schemas

import (
	"context"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// reportPage is the number of records that are read and checked together.
const reportPage = 100

// A Violation is a refusal of a stored record.
type Violation struct {
	Type string `json:"type"` // name in the schema
	schema.Refusal
}

// Report checks the stored records against a schema and calls visit for each violation, in order of types and records. It reads
// reportPage records at a time and changes nothing. It stops at the first error of visit.
func Report(ctx context.Context, r graph.Reader, s *schema.Schema, visit func(Violation) error) error {
	rules, err := newRules(ctx, r, s)
	if err != nil || rules == nil {
		return err
	}
	for _, name := range s.Names() {
		report := reporter{reader: r, rules: rules, typ: s.Types[name], visit: visit}
		if err := report.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A reporter reports the violations of the records of one type.
type reporter struct {
	reader graph.Reader
	rules  *rules
	typ    *schema.Type
	visit  func(Violation) error
	read   func(records int) error // called with the size of each page before it is checked; nil does nothing
}

// run reports the violations of all records of the type, page by page.
func (p *reporter) run(ctx context.Context) error {
	typ := p.rules.ids[p.typ.TypeName()]
	for page := (graph.Page{Limit: reportPage}); typ != 0; {
		found, err := p.reader.ConceptsByType(ctx, typ, page)
		if err != nil {
			return err
		}
		if p.read != nil {
			if err := p.read(len(found)); err != nil {
				return err
			}
		}
		if err := p.reportPage(ctx, found); err != nil {
			return err
		}
		if len(found) < reportPage {
			return nil
		}
		page.After = found[len(found)-1].ID
	}
	return nil
}

// reportPage reports the violations of a page of records.
func (p *reporter) reportPage(ctx context.Context, page []graph.Concept) error {
	var ids []graph.ID
	for _, c := range page {
		if c.Category == graph.CategoryInstance {
			ids = append(ids, c.ID)
		}
	}
	values, err := composition.Read(ctx, p.reader, ids, composition.WithID)
	if err != nil {
		return err
	}
	records := make([]*record, len(values))
	var claims []claim
	for i, v := range values {
		id, _ := graph.ParseID(v.Get("id").Text)
		records[i] = &record{typ: p.typ, id: id, real: id}
		fields := v.Get("data").Members[0].Value
		if fields.Kind != composition.Record {
			fields = composition.RecordValue()
		}
		if err := p.report(records[i], p.typ.Check(fields)...); err != nil {
			return err
		}
		claims = appendClaims(claims, records[i], fields)
	}
	if err := p.reportDuplicates(ctx, claims); err != nil {
		return err
	}
	return p.reportLinks(ctx, ids, records)
}

// report calls visit for refusals of a record.
func (p *reporter) report(r *record, refusals ...schema.Refusal) error {
	for _, refusal := range refusals {
		refusal.Record = r.id
		if err := p.visit(Violation{p.typ.Name, refusal}); err != nil {
			return err
		}
	}
	return nil
}

// appendClaims appends the unique values of a record.
func appendClaims(claims []claim, r *record, fields composition.Value) []claim {
	for _, m := range fields.Members {
		f := fieldOf(r.typ, m.Key)
		if f != nil && f.Unique && m.Value.Kind == composition.Text && graph.IsShared(m.Value.Text) {
			claims = append(claims, claim{r, f, m.Value.Text})
		}
	}
	return claims
}

// reportDuplicates reports unique values that an older record has, too.
func (p *reporter) reportDuplicates(ctx context.Context, claims []claim) error {
	if len(claims) == 0 {
		return nil
	}
	holders, err := findHolders(ctx, p.reader, p.rules, claims, 0)
	if err != nil {
		return err
	}
	for i, held := range holders {
		for _, connection := range held {
			if connection.From < claims[i].record.real {
				if err := p.report(claims[i].record, schema.NewRefusal(0, claims[i].field, "unique")); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// reportLinks reports missing required links.
func (p *reporter) reportLinks(ctx context.Context, ids []graph.ID, records []*record) error {
	for _, name := range p.typ.Names() {
		link := p.typ.Fields[name]
		if !link.Kind.IsLink() || !link.Required || len(ids) == 0 {
			continue
		}
		var types []graph.ID
		for _, connection := range p.typ.ConnectionNames(link) {
			if id := p.rules.ids[connection]; id != 0 {
				types = append(types, id)
			}
		}
		counts, err := p.reader.CountLinks(ctx, graph.Links{Of: ids, Direction: graph.Out, Types: append([]graph.ID{}, types...)})
		if err != nil {
			return err
		}
		hasLink := map[graph.ID]bool{}
		for _, count := range counts {
			hasLink[count.Of] = true
		}
		for _, r := range records {
			if hasLink[r.id] {
				continue
			}
			if err := p.report(r, schema.NewRefusal(0, link, "required")); err != nil {
				return err
			}
		}
	}
	return nil
}
