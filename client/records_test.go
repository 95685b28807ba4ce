package client_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/schema"
)

type Contact struct {
	ID      graph.ID
	Name    string  `weft:",required"`
	Email   *string `weft:",unique,format=email"`
	Age     *int
	Score   float64
	VIP     bool `weft:",default=false"`
	Joined  schema.Day
	Seen    *time.Time
	Stage   string `weft:",choices=lead|customer,default=lead"`
	Tags    []string
	Address *Address
	Company schema.One[Company]
	Groups  schema.Many[Group]
}

type Address struct{ Street, City string }

type Company struct {
	ID       graph.ID
	Name     string `weft:",required"`
	Founded  schema.Day
	Contacts schema.Many[Contact] `weft:",inverse=company"`
}

type Group struct {
	ID      graph.ID
	Name    string
	Members schema.Many[Contact] `weft:",inverse=groups"`
}

// A crm is a client of a server that enforces the schema of Contact, with some records.
type crm struct {
	*client.Client
	contacts      *client.Records[Contact]
	companies     *client.Records[Company]
	groups        *client.Records[Group]
	acme, umbra   graph.ID
	ann, bo, cleo graph.ID
}

func newClient(t *testing.T, s *servertest.Server, token string) *client.Client {
	t.Helper()
	c := client.New(s.URL)
	c.Token = token
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func pushSchema(t *testing.T, s *servertest.Server) {
	t.Helper()
	defined, err := schema.Define(schema.WithLinked(Contact{})...)
	if err != nil {
		t.Fatal(err)
	}
	admin := newClient(t, s, servertest.Admin(t, s, "admin@example.org"))
	if _, err := admin.PushSchema(t.Context(), defined, false, false); err != nil {
		t.Fatal(err)
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newCRM(t *testing.T) *crm {
	t.Helper()
	s := servertest.Start(t)
	pushSchema(t, s)
	c := newClient(t, s, servertest.SignUp(t, s.URL, "ann@example.org"))
	r := &crm{Client: c, contacts: client.For[Contact](c), companies: client.For[Company](c), groups: client.For[Group](c)}
	ctx, id := t.Context(), must[graph.ID](t)
	r.acme = id(r.companies.Create(ctx, Company{Name: "Acme", Founded: "1990-01-01"}))
	r.umbra = id(r.companies.Create(ctx, Company{Name: "Umbra", Founded: "2010-01-01"}))
	sales := id(r.groups.Create(ctx, Group{Name: "Sales"}))
	r.ann = id(r.contacts.Create(ctx, Contact{
		Name: "Ann", Email: new("ann@example.org"), Age: new(30), VIP: true, Joined: "2026-02-28", Tags: []string{"red", "blue"},
		Address: &Address{Street: "Main", City: "Oslo"}, Company: schema.To[Company](r.acme), Groups: schema.ToAll[Group](sales),
	}))
	r.bo = id(r.contacts.Create(ctx, Contact{Name: "Bo", Age: new(20), Stage: "customer", Tags: []string{"red"}, Company: schema.To[Company](r.umbra)}))
	r.cleo = id(r.contacts.Create(ctx, Contact{Name: "Cleo", Score: 1.5}))
	return r
}

func TestARecordReadsBackAsWritten(t *testing.T) {
	r := newCRM(t)
	seen := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	want := Contact{
		Name: "Dee", Email: new("dee@example.org"), Age: new(0), Score: -1e-7, VIP: true, Joined: "2026-02-28", Seen: &seen,
		Stage: "customer", Tags: []string{"a", "b", "a"}, Address: &Address{Street: "Main", City: "Oslo"},
	}
	want.ID = must[graph.ID](t)(r.contacts.Create(t.Context(), want))
	if diff := cmp.Diff(want, must[Contact](t)(r.contacts.Get(t.Context(), want.ID))); diff != "" {
		t.Error(diff)
	}
	if _, err := r.contacts.Get(t.Context(), r.acme); graph.KindOf(err) != graph.NotFound {
		t.Errorf("a company as a contact: %v; want the kind notFound", err)
	}
}

// names returns the names of the contacts that a query finds, in order.
func names(t *testing.T, f client.Find[Contact]) string {
	t.Helper()
	var all []string
	for c, err := range f.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Name)
	}
	return strings.Join(all, " ")
}

func TestConditionsFindTheRightRecords(t *testing.T) {
	r := newCRM(t)
	for name, c := range map[string]struct {
		where client.Condition
		want  string
	}{
		"equal":                   {client.Eq("name", "ann"), "Ann"},
		"a default":               {client.Eq("vip", false), "Bo Cleo"},
		"not equal":               {client.Ne("name", "Ann"), "Bo Cleo"},
		"without a value":         {client.Eq("age", nil), "Cleo"},
		"greater":                 {client.Gt("age", 20), "Ann"},
		"greater or equal":        {client.Gte("age", 20), "Ann Bo"},
		"less":                    {client.Lt("age", 30), "Bo"},
		"less or equal":           {client.Lte("joined", schema.Day("2026-02-28")), "Ann"},
		"one of several":          {client.In("name", "Ann", "Cleo"), "Ann Cleo"},
		"one of an empty list":    {client.In[string]("name"), ""},
		"contains":                {client.Contains("name", "LE"), "Cleo"},
		"contains a percent sign": {client.Contains("name", "%"), ""},
		"starts with":             {client.StartsWith("name", "c"), "Cleo"},
		"starts with a digit":     {client.StartsWith("name", "1"), ""},
		"like":                    {client.Like("name", "c%o"), "Cleo"},
		"exists":                  {client.Exists("email"), "Ann"},
		"missing":                 {client.Missing("email"), "Bo Cleo"},
		"a nested record":         {client.Eq("address.city", "Oslo"), "Ann"},
		"all items":               {client.Has("tags", "red", "blue"), "Ann"},
		"some item":               {client.HasSome("tags", "red", "green"), "Ann Bo"},
		"alternatives":            {client.Or(client.Eq("vip", true), client.Eq("stage", "customer")), "Ann Bo"},
		"all of":                  {client.And(client.Eq("vip", true), client.Eq("age", 20)), ""},
		"not":                     {client.Not(client.Or(client.Eq("name", "Bo"), client.StartsWith("name", "c"))), "Ann"},
		"a linked id":             {client.Eq("company", r.acme), "Ann"},
		"a linked record":         {client.Linked("company", client.Lt("founded", schema.Day("2000-01-01"))), "Ann"},
		"no linked record":        {client.Missing("company"), "Cleo"},
		"links to many":           {client.Linked("groups", client.Eq("name", "Sales")), "Ann"},
		"two levels":              {client.Linked("company", client.Linked("contacts", client.Eq("name", "Bo"))), "Bo"},
		"every linked record":     {client.Every("groups", client.Eq("name", "Sales")), "Ann Bo Cleo"},
		"ids":                     {client.HasID(r.cleo, r.bo), "Bo Cleo"},
		"ids in an alternative":   {client.Or(client.HasID(r.cleo), client.Eq("name", "Bo")), "Bo Cleo"},
		"the time of creation":    {client.CreatedAfter(time.Now().Add(-time.Hour)), "Ann Bo Cleo"},
		"created before":          {client.CreatedBefore(time.Now().Add(-time.Hour)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := r.contacts.Find(c.where)
			if got := names(t, f.OrderBy("name")); got != c.want {
				t.Errorf("found %q; want %q", got, c.want)
			}
			if n, err := f.Count(t.Context()); err != nil || n != len(strings.Fields(c.want)) {
				t.Errorf("counted %d, %v; want %d", n, err, len(strings.Fields(c.want)))
			}
		})
	}
}

// A Ticket has defaults that are stored with no record of TestConditionsCompareTheDefaultOfAMissingValue.
type Ticket struct {
	ID    graph.ID
	State string `weft:",default=Half: 50% done"`
	Size  string `weft:",default=10"`
	Due   string `weft:",default=now"`
}

func TestConditionsCompareTheDefaultOfAMissingValue(t *testing.T) {
	tickets := client.For[Ticket](newClient(t, servertest.Start(t), ""))
	id := must[graph.ID](t)(tickets.Create(t.Context(), Ticket{}))
	for _, field := range []string{"state", "size", "due"} {
		if err := tickets.Update(t.Context(), id, client.Fields{field: nil}); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		where client.Condition
		want  int
	}{
		"equal":                             {client.Eq("state", "half: 50% DONE"), 1},
		"contains":                          {client.Contains("state", "ALF"), 1},
		"does not contain":                  {client.Contains("state", "open"), 0},
		"contains a percent sign":           {client.Contains("state", "0%"), 1},
		"contains no percent sign":          {client.Contains("state", "f%d"), 0},
		"starts with":                       {client.StartsWith("state", "hALF"), 1},
		"does not start with":               {client.StartsWith("state", "alf"), 0},
		"starts with a digit":               {client.StartsWith("size", "1"), 1},
		"does not start with a digit":       {client.StartsWith("size", "0"), 0},
		"like":                              {client.Like("state", "h%DONE"), 1},
		"like without percent signs":        {client.Like("state", "50"), 1},
		"not like in this order":            {client.Like("state", "done%half"), 0},
		"an underscore is no pattern":       {client.Like("state", "h_lf"), 0},
		"a number is compared by its value": {client.Gt("size", "9"), 1},
		"not":                               {client.Not(client.Contains("state", "half")), 0},
		"a text that reads as a time":       {client.Contains("due", "now"), 1},
		"exists":                            {client.Exists("state"), 0},
	} {
		if n, err := tickets.Find(c.where).Count(t.Context()); err != nil || n != c.want {
			t.Errorf("%s: counted %d, %v; want %d", name, n, err, c.want)
		}
	}
}

func TestConditionsThatTheSchemaDoesNotAllowAreRefused(t *testing.T) {
	r := newCRM(t)
	for text, f := range map[string]client.Find[Contact]{
		`"nam" names no field or link of contact`:    r.contacts.Find(client.Eq("nam", 1)),
		`"age" has the operand "x"`:                  r.contacts.Find(client.Gt("age", "x")),
		`"stage" has the operand "gone"`:             r.contacts.Find(client.Eq("stage", "gone")),
		`"tags" is only possible at the top of Find`: r.contacts.Find(client.Not(client.Has("tags", "red"))),
		`"tags" is not possible on a list`:           r.contacts.Find(client.Eq("tags", "red")),
		`"company" is not possible on a link`:        r.contacts.Find(client.Gt("company", 1)),
		`"age" is not possible on the kind integer`:  r.contacts.Find(client.Contains("age", "1")),
		`"id" does not compare ids`:                  r.contacts.Find(client.Eq("id", "x")),
		`contact has no field "nam" to order by`:     r.contacts.Find().OrderBy("nam"),
		`contact.tags is of the kind list`:           r.contacts.Find().OrderBy("tags"),
		`With("company.nam"): company has no link`:   r.contacts.Find().With("company.nam"),
		`the limit of a page is 0`:                   r.contacts.Find().Limit(0),
	} {
		if _, err := f.Page(t.Context()); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %v; want %q", err, text)
		}
	}
	if _, err := client.For[struct{ A int }](r).Find().Page(t.Context()); graph.KindOf(err) != graph.Invalid {
		t.Errorf("a struct without a name: %v; want the kind invalid", err)
	}
}

func TestPagesFollowTheOrder(t *testing.T) {
	r := newCRM(t)
	for name, c := range map[string]struct {
		find client.Find[Contact]
		want string
	}{
		"the newest first":          {r.contacts.Find(), "Cleo Bo Ann"},
		"the oldest first":          {r.contacts.Find().OldestFirst(), "Ann Bo Cleo"},
		"by a number":               {r.contacts.Find().OrderBy("age"), "Bo Ann Cleo"},
		"by two fields, descending": {r.contacts.Find().OrderByDesc("stage", "name"), "Cleo Ann Bo"},
		"a condition on a list":     {r.contacts.Find(client.Has("tags", "red")).OldestFirst(), "Ann Bo"},
		"by text, then creation":    {r.contacts.Find().OrderBy("name"), "Ann Bo Cleo"},
	} {
		for _, limit := range []int{1, 2, 100} {
			if got := names(t, c.find.Limit(limit)); got != c.want {
				t.Errorf("%s, %d a page: %s; want %s", name, limit, got, c.want)
			}
		}
	}
	first, err := r.contacts.Find(client.Eq("name", "Bo")).First(t.Context())
	if err != nil || first.ID != r.bo {
		t.Errorf("the first contact with the name Bo = %+v, %v; want Bo", first, err)
	}
	if _, err := r.contacts.Find(client.Eq("name", "Zoe")).First(t.Context()); graph.KindOf(err) != graph.NotFound {
		t.Errorf("the first record of an empty result: %v; want the kind notFound", err)
	}
}

func TestWithReadsLinkedRecords(t *testing.T) {
	r := newCRM(t)
	ann := must[Contact](t)(r.contacts.Find(client.HasID(r.ann)).With("company.contacts", "groups").First(t.Context()))
	if ann.Company.ID != r.acme || ann.Company.Record.Founded != "1990-01-01" || ann.Company.Record.Contacts[0].ID != r.ann ||
		len(ann.Groups) != 1 || ann.Groups[0].Record.Name != "Sales" {
		t.Errorf("read %+v %+v", ann.Company.Record, ann.Groups)
	}
	cleo := must[Contact](t)(r.contacts.Find(client.Eq("name", "Cleo")).With("company", "groups").First(t.Context()))
	if cleo.Company != (schema.One[Company]{}) || len(cleo.Groups) != 0 {
		t.Errorf("without links: %+v; want no company and no groups", cleo)
	}
	filtered := must[Contact](t)(r.contacts.Find(client.Linked("groups", client.Eq("name", "Sales"))).With("company").First(t.Context()))
	if filtered.Company.Record == nil {
		t.Error("a filtered query does not return the linked record")
	}
}

func TestUpdateChangesOnlyTheGivenFields(t *testing.T) {
	r := newCRM(t)
	ctx := t.Context()
	if err := r.contacts.Update(ctx, r.ann, client.Fields{"age": 31, "email": nil, "tags": []string{}, "address": Address{City: "Bergen"}, "company": r.umbra}); err != nil {
		t.Fatal(err)
	}
	ann := must[Contact](t)(r.contacts.Find(client.HasID(r.ann)).With("company").First(ctx))
	if *ann.Age != 31 || ann.Email != nil || len(ann.Tags) != 0 || *ann.Address != (Address{City: "Bergen"}) || ann.Company.ID != r.umbra || ann.Joined != "2026-02-28" {
		t.Errorf("updated to %+v", ann)
	}
	ann.Name, ann.Age, ann.Tags = "Anna", nil, []string{"x"}
	if err := r.contacts.Save(ctx, ann); err != nil {
		t.Fatal(err)
	}
	saved := must[Contact](t)(r.contacts.Find(client.HasID(r.ann)).With("company").First(ctx))
	if diff := cmp.Diff(ann, saved); diff != "" {
		t.Error(diff)
	}
	seq := must[graph.Seq](t)(r.LastSeq(ctx))
	if err := r.contacts.Save(ctx, saved); err != nil || must[graph.Seq](t)(r.LastSeq(ctx)) != seq {
		t.Errorf("saving without changes wrote a batch, or failed: %v", err)
	}
}

func TestARefusalNamesTheRecordTheFieldAndTheRule(t *testing.T) {
	r := newCRM(t)
	ctx := t.Context()
	_, created := r.contacts.Create(ctx, Contact{Email: new("x")})
	_, taken := r.contacts.Create(ctx, Contact{Name: "Ann 2", Email: new("ann@example.org")})
	for name, c := range map[string]struct {
		err         error
		kind        graph.ErrorKind
		field, rule string
		record      graph.ID
		count       int
	}{
		"a new record":    {created, graph.Invalid, "email", "format", 0, 2},
		"a unique value":  {taken, graph.Conflict, "email", "unique", 0, 1},
		"an update":       {r.contacts.Update(ctx, r.bo, client.Fields{"age": "old"}), graph.Invalid, "age", "kind", r.bo, 1},
		"an unknown name": {r.contacts.Update(ctx, r.bo, client.Fields{"agee": 1}), graph.Invalid, "agee", "unknown", r.bo, 1},
		"a removed name":  {r.contacts.Update(ctx, r.bo, client.Fields{"name": nil}), graph.Invalid, "name", "required", r.bo, 1},
	} {
		refused, ok := errors.AsType[*client.RefusedError](c.err)
		if !ok || graph.KindOf(c.err) != c.kind || refused.Field != c.field || refused.Rule != c.rule || len(refused.Refusals) != c.count {
			t.Errorf("%s: %v; want a RefusedError of the kind %q by %s of %q", name, c.err, c.kind, c.rule, c.field)
		} else if c.record != 0 && refused.Record != c.record {
			t.Errorf("%s: the error names record %d; want %d", name, refused.Record, c.record)
		}
	}
}

func TestUpsertAndIncrement(t *testing.T) {
	r := newCRM(t)
	ctx := t.Context()
	again := must[graph.ID](t)(r.contacts.Upsert(ctx, "email", Contact{Name: "Ann Smith", Email: new("ann@example.org")}))
	fresh := must[graph.ID](t)(r.contacts.Upsert(ctx, "email", Contact{Name: "Eve", Email: new("eve@example.org")}))
	if again != r.ann || fresh == r.ann || must[Contact](t)(r.contacts.Get(ctx, again)).Name != "Ann Smith" {
		t.Errorf("upserting Ann's and Eve's addresses: ids %d and %d; want Ann's id %d, with the new name, and another id", again, fresh, r.ann)
	}
	for range 3 {
		if err := r.contacts.Increment(ctx, r.cleo, "score", 0.1); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.contacts.Increment(ctx, r.cleo, "age", 2); err != nil {
		t.Fatal(err)
	}
	if cleo := must[Contact](t)(r.contacts.Get(ctx, r.cleo)); cleo.Score != 1.8 || *cleo.Age != 2 {
		t.Errorf("incremented to %+v; want the score 1.8 and the age 2", cleo)
	}
	for name, err := range map[string]error{
		"a fraction added to an integer": r.contacts.Increment(ctx, r.cleo, "age", 0.5),
		"a number added to text":         r.contacts.Increment(ctx, r.cleo, "name", 1),
	} {
		if graph.KindOf(err) != graph.Invalid {
			t.Errorf("%s: %v; want the kind invalid", name, err)
		}
	}
}

func TestLinksAreSetAddedAndRemoved(t *testing.T) {
	r := newCRM(t)
	ctx := t.Context()
	support := must[graph.ID](t)(r.groups.Create(ctx, Group{Name: "Support"}))
	for _, err := range []error{
		r.contacts.SetLink(ctx, r.ann, "company", r.umbra), r.contacts.SetLink(ctx, r.bo, "company", 0),
		r.groups.AddLink(ctx, support, "members", r.ann), r.contacts.AddLink(ctx, r.ann, "groups", support),
		r.contacts.AddLink(ctx, r.bo, "groups", support), r.contacts.RemoveLink(ctx, r.bo, "groups", support),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(id graph.ID) Contact {
		return must[Contact](t)(r.contacts.Find(client.HasID(id)).With("company", "groups").First(ctx))
	}
	if ann, bo := read(r.ann), read(r.bo); ann.Company.ID != r.umbra || len(ann.Groups) != 2 || bo.Company.ID != 0 || len(bo.Groups) != 0 {
		t.Errorf("linked %+v and %+v; want Umbra and two groups for the first, and no links for the second", ann, bo)
	}
	if err := r.contacts.AddLink(ctx, r.ann, "firm", r.acme); graph.KindOf(err) != graph.Invalid {
		t.Errorf("adding a target to an unknown link: %v; want the kind invalid", err)
	}
}

func TestARemovalCanBeUndone(t *testing.T) {
	r := newCRM(t)
	ctx := t.Context()
	before := must[Contact](t)(r.contacts.Find(client.HasID(r.ann)).With("company", "groups").First(ctx))
	removal, err := r.contacts.Remove(ctx, r.ann)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, r.contacts.Find()); got != "Cleo Bo" {
		t.Fatalf("after the removal: %s; want Cleo Bo", got)
	}
	restored := must[graph.ID](t)(removal.Undo(ctx))
	if again := must[graph.ID](t)(removal.Undo(ctx)); again != restored {
		t.Errorf("Undo returned %d, and %d when called again; want the same id", restored, again)
	}
	before.ID = restored
	after := must[Contact](t)(r.contacts.Find(client.HasID(restored)).With("company", "groups").First(ctx))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}

func TestAggregateGroupsRecords(t *testing.T) {
	r := newCRM(t)
	groups, err := r.contacts.Find().Aggregate(t.Context(), client.Aggregate{GroupBy: []string{"stage", "company"}, Of: []string{"age", "name"}})
	if err != nil || len(groups) != 3 {
		t.Fatalf("%+v, %v; want three groups", groups, err)
	}
	i := slices.IndexFunc(groups, func(g client.Group) bool { return g.Key["company"] == r.acme })
	if i < 0 || groups[i].Key["stage"] != "lead" || groups[i].Count != 1 || groups[i].Fields["age"] != (client.Numbers{Count: 1, Sum: 30, Min: 30.0, Max: 30.0}) {
		t.Errorf("Acme is in %+v; want a group of one lead of the age 30", groups)
	}
	all, err := r.contacts.Find(client.Exists("age")).Aggregate(t.Context(), client.Aggregate{Of: []string{"age", "name"}})
	if err != nil || len(all) != 1 || all[0].Count != 2 || all[0].Fields["age"].Average() != 25 || all[0].Fields["name"].Max != "Bo" {
		t.Errorf("the totals of the contacts with an age = %+v, %v; want one group of 2 with the average age 25 and the greatest name Bo", all, err)
	}
}

type person struct {
	ID      graph.ID
	Name    string
	Boss    schema.One[person]
	Friends schema.Many[person]
}

func TestALinkFromARecordToItselfIsRefused(t *testing.T) {
	s := servertest.Start(t)
	defined := must[*schema.Schema](t)(schema.Define(person{}))
	admin := newClient(t, s, servertest.Admin(t, s, "admin@example.org"))
	if _, err := admin.PushSchema(t.Context(), defined, false, false); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, s, servertest.SignUp(t, s.URL, "ann@example.org"))
	people, ctx := client.For[person](c), t.Context()
	ann := must[graph.ID](t)(people.Create(ctx, person{Name: "Ann"}))
	_, server := c.Submit(ctx, client.Submission{Batch: graph.Batch{Connections: []graph.ConnectionDraft{
		{LocalID: -1, From: ann, To: ann, TypeName: "the_person_boss"},
	}}})
	for name, row := range map[string]struct {
		field string
		err   error
	}{
		"a link to one":    {"boss", people.SetLink(ctx, ann, "boss", ann)},
		"a link to many":   {"friends", people.AddLink(ctx, ann, "friends", ann)},
		"fields and links": {"boss", people.Update(ctx, ann, client.Fields{"name": "Bo", "boss": ann})},
		"on the server":    {"boss", server},
	} {
		refused, ok := errors.AsType[*client.RefusedError](row.err)
		if !ok || refused.Record != ann || refused.Field != row.field || refused.Rule != "self" {
			t.Errorf("%s: %v; want a RefusedError by self of %q", name, row.err, row.field)
		}
	}
}
