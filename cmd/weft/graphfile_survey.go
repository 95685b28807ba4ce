package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// A fileSurvey reads a graph file without writing anything: it counts its records, and finds the pages that would be served
// and the widgets whose code would run if the file were imported with an ownerRule.
//
// Only heads whose new owner would have rights count, because a page or widget is trusted as far as its owner is.
// The survey does not keep the ids of other records, so an untrusted file can take only a limited amount of
// memory.
type fileSurvey struct {
	owners   ownerRule
	policy   page.Policy // the admins of the graph
	accepted importTrust

	store       string         // identity of the exported store
	kinds       map[string]int // concepts by kind, see draftKinds
	connections int
	byOwner     map[ownerKind]int // records by the owner that they would receive

	pages    map[graph.ID]bool   // heads of pages that would be served
	widgets  map[graph.ID]bool   // heads of widgets that would be trusted; the value is true if the widget has code
	scripted int                 // trusted widgets with code
	slugs    map[graph.ID]string // values that may be slugs, by id; empty if no page of the file could be served
	linked   map[string]bool     // slugs of the pages that would be served
	types    map[graph.ID]string // names of the concepts whose value is one of surveyedRelations
}

// ownerKind groups owners for the summary.
type ownerKind string

const (
	ownedBySystem   ownerKind = "of the system"
	ownedByAll      ownerKind = "of all users"
	ownedByImporter ownerKind = "of the user of --as"
	ownedByUsers    ownerKind = "of users, by their id in the file"
)

func newFileSurvey(owners ownerRule, policy page.Policy, accepted importTrust) *fileSurvey {
	return &fileSurvey{
		owners: owners, policy: policy, accepted: accepted,
		kinds: map[string]int{}, byOwner: map[ownerKind]int{},
		pages: map[graph.ID]bool{}, widgets: map[graph.ID]bool{}, slugs: map[graph.ID]string{}, linked: map[string]bool{}, types: map[graph.ID]string{},
	}
}

// readAll surveys a whole file.
func (s *fileSurvey) readAll(ctx context.Context, in io.Reader) error {
	return readGraphFile(ctx, in, s)
}

func (s *fileSurvey) head(head fileHead) error {
	s.store = head.Store
	return nil
}

func (s *fileSurvey) record(_ context.Context, line fileLine, _ int) error {
	owner, err := s.owners.owner(line.Owner)
	if err != nil {
		return err
	}
	s.byOwner[s.kindOf(owner)]++
	if line.Concept != 0 {
		s.kinds[line.Kind]++
		s.surveyConcept(line, owner)
	} else {
		s.connections++
		s.surveyConnection(line)
	}
	return nil
}

func (s *fileSurvey) kindOf(owner graph.ID) ownerKind {
	switch owner {
	case s.owners.importer:
		return ownedByImporter
	case graph.System:
		return ownedBySystem
	case graph.Anonymous:
		return ownedByAll
	default:
		return ownedByUsers
	}
}

// The types and relations of pages and widgets that a survey needs.
const (
	pageType, widgetType, slugType = "the_page", "the_widget", "the_slug"
)

var surveyedRelations = func() map[string]bool {
	relations := map[string]bool{}
	for _, name := range slices.Concat(page.SlugRelations(), page.CodeRelations()) {
		relations[name] = true
	}
	return relations
}()

func (s *fileSurvey) surveyConcept(line fileLine, owner graph.ID) {
	name := line.Value
	if line.Kind == "type" {
		name = line.Of
	}
	if surveyedRelations[name] {
		s.types[line.Concept] = name
	}
	switch {
	case line.Kind == "type":
	case line.Of == pageType && s.policy.Publishes(owner):
		s.pages[line.Concept] = true
	case line.Of == widgetType && s.policy.Trust(owner) == page.Trusted:
		s.widgets[line.Concept] = false
	case line.Of == slugType && s.mayGiveRights() && graph.IsShared(line.Value):
		s.slugs[line.Concept] = line.Value
	}
}

// mayGiveRights reports whether an owner whose pages are served can own a record of the file after the import.
func (s *fileSurvey) mayGiveRights() bool {
	return s.owners.keepsSystem || s.owners.keepsUsers || s.policy.Publishes(s.owners.importer)
}

func (s *fileSurvey) surveyConnection(line fileLine) {
	relation := s.types[line.Type]
	if s.pages[line.From] && slices.Contains(page.SlugRelations(), relation) {
		s.linked[s.slugs[line.To]] = true
	}
	if hasCode, isTrusted := s.widgets[line.From]; isTrusted && !hasCode && surveyedRelations[relation] {
		s.widgets[line.From] = true
		s.scripted++
	}
}

// check returns an error if the import would install pages or code that --trust does not name.
func (s *fileSurvey) check() error {
	var found, missing []string
	if len(s.pages) > 0 && !s.accepted.has("pages") {
		found, missing = append(found, formatCount(len(s.pages), "page")+" that would be served"), append(missing, "pages")
	}
	if s.scripted > 0 && !s.accepted.has("scripts") {
		found, missing = append(found, formatCount(s.scripted, "widget")+" whose code would run with the rights of visitors"), append(missing, "scripts")
	}
	if len(found) == 0 {
		return nil
	}
	return graph.Errorf(graph.Forbidden, "the file has %s; if you trust it, add --trust %s, otherwise set --as to a user who is not an admin and leave --trust out",
		strings.Join(found, " and "), strings.Join(missing, ","))
}

// maxListedSlugs is the number of pages that a summary lists.
const maxListedSlugs = 50

// summary describes what an import would write; see the test for an example. It reads the pages that would be replaced.
func (s *fileSurvey) summary(ctx context.Context, reader graph.Reader) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "the file holds %s, %s, %s, %s and %s of the store %.60q\n",
		formatCount(s.kinds["type"], "type"), formatCount(s.kinds[""], "value"), formatCount(s.kinds["composition"], "composition"),
		formatCount(s.kinds["prototype"], "prototype"), formatCount(s.connections, "connection"), s.store)
	for _, kind := range slices.Sorted(maps.Keys(s.byOwner)) {
		fmt.Fprintf(&b, "%s would be records %s\n", formatCount(s.byOwner[kind], "record"), kind)
	}
	fmt.Fprintf(&b, "%s would be served, and the code of %s would run in pages\n", formatCount(len(s.pages), "page"), formatCount(s.scripted, "widget"))
	slugs := slices.Sorted(maps.Keys(s.linked))
	for _, slug := range slugs[:min(len(slugs), maxListedSlugs)] {
		existing, err := page.Load(ctx, reader, s.policy, slug)
		switch {
		case err == nil:
			fmt.Fprintf(&b, "  %.80q would replace page %d, %.80q\n", slug, existing.Settings.ID, existing.Settings.Title)
		case graph.KindOf(err) == graph.NotFound:
			fmt.Fprintf(&b, "  %.80q would be new\n", slug)
		default:
			return "", err
		}
	}
	if len(slugs) > maxListedSlugs {
		fmt.Fprintf(&b, "  and %d more\n", len(slugs)-maxListedSlugs)
	}
	return b.String(), nil
}

// A guardedReader imports a file and surveys it again during the import, in case the file has changed since the summary.
type guardedReader struct {
	survey *fileSurvey
	reader *fileReader
}

func (r guardedReader) head(head fileHead) error {
	return errors.Join(r.survey.head(head), r.reader.head(head))
}

func (r guardedReader) record(ctx context.Context, line fileLine, length int) error {
	if err := r.survey.record(ctx, line, length); err != nil {
		return err
	}
	if err := r.survey.check(); err != nil {
		return err
	}
	return r.reader.record(ctx, line, length)
}
