package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/content"
)

type contentCommand struct {
	Push    pushContent    `cmd:"" help:"Import a directory of pages and widgets into a graph, as new versions of the existing ones."`
	Pull    pullContent    `cmd:"" help:"Write the pages and widgets of a graph into a directory."`
	List    listContent    `cmd:"" help:"List the pages and widgets of the site, with their published versions."`
	Publish publishContent `cmd:"" help:"Publish a version of a widget, which may be an older one."`
}

// withWritableStore opens the graph, runs a task on it and closes it. The task must use the sender by for its batches.
// Over HTTP, the server replaces the user of the sender with the owner of the token.
func (f graphFlags) withWritableStore(ctx context.Context, task func(store graph.Store, by graph.Sender) error) error {
	if f.URL == "" {
		store, err := storeFlags{Data: f.Data, Store: f.Store}.open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(task(store, graph.Sender{}), store.Close())
	}
	r, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	c := r.(*client.Client)
	err = task(c, graph.Sender{User: graph.Anonymous, Randomizer: rand.Int64()})
	if kind := graph.KindOf(err); kind == graph.Forbidden || kind == graph.Unauthorized {
		err = fmt.Errorf("%w; to change the site, set --token or WEFT_TOKEN to the access token of an admin", err)
	}
	return err
}

type pushContent struct {
	graphFlags
	Dir     string `arg:"" type:"existingdir" help:"Directory with pages/*.json and widgets/*/widget.json."`
	Publish bool   `help:"Publish the pushed versions. Without it, versions are saved and the published ones do not change."`
	DryRun  bool   `help:"Print the changes without making them."`
	Watch   bool   `help:"Push and publish again whenever a file changes, until interrupted."`
}

// Help implements kong.HelpProvider.
func (pushContent) Help() string {
	return `A widget that differs from its newest version is saved as a new version; an unchanged one is skipped. A push is one ` +
		`atomic batch. Other pages and widgets in the graph are kept. Pages have no versions: they are written only ` +
		`with --publish. docs/content.md describes the files.`
}

// Run pushes once, or with --watch after each change until interrupted.
func (c pushContent) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if c.Watch && c.DryRun {
		return usageErrorf("--watch and --dry-run cannot be combined")
	}
	return c.withWritableStore(ctx, func(store graph.Store, by graph.Sender) error {
		o := content.Options{Sender: by, Publish: c.Publish || c.Watch, DryRun: c.DryRun}
		if !c.Watch {
			return c.push(ctx, store, o)
		}
		return watch(ctx, c.Dir, func() {
			if err := c.push(ctx, store, o); err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "weft:", err)
			}
		})
	})
}

// push pushes the directory once and prints the changes.
func (c pushContent) push(ctx context.Context, store graph.Store, o content.Options) error {
	site, err := content.LoadFrom(os.DirFS(c.Dir))
	if err != nil {
		return err
	}
	changes, err := site.Push(ctx, store, o)
	if err != nil {
		return err
	}
	changed := map[string]int{} // keyed by kind
	for _, change := range changes {
		if change.Result == content.Unchanged {
			continue
		}
		changed[change.Kind]++
		fmt.Printf("%s %s: %s\n", change.Kind, change.Name, change.Result)
	}
	pages, widgets := changed["page"], changed["widget"]
	fmt.Printf("%s and %s changed, %d unchanged\n", formatCount(pages, "page"), formatCount(widgets, "widget"), len(changes)-pages-widgets)
	return nil
}

type pullContent struct {
	graphFlags
	Dir string   `arg:"" type:"path" help:"Directory to write into; it is created if it does not exist."`
	IDs []string `arg:"" optional:"" help:"Ids of pages and widgets to pull, with everything inside them. The default is the site."`
	All bool     `help:"Write all pages and widgets of the graph, of any owner."`
}

// Help implements kong.HelpProvider.
func (pullContent) Help() string {
	return `Widgets are written in their newest version. The file of a page or widget from outside the site keeps its id, so that a later push creates ` +
		`a version of the same widget. Files with the same names are overwritten. Pushing unchanged files changes nothing.`
}

// Run writes the files and prints their names.
func (c pullContent) Run() error {
	ctx, stop := interruptible()
	defer stop()
	ids, err := c.ids()
	if err != nil {
		return err
	}
	r, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if c.All {
		if ids, err = content.AllIDs(ctx, r); err != nil {
			return err
		}
	}
	site, notes, err := content.Pull(ctx, r, ids...)
	if err != nil {
		return err
	}
	if len(site.Pages)+len(site.Widgets) == 0 {
		return errors.New("no pages or widgets to pull")
	}
	files, err := site.Save(c.Dir)
	if err != nil {
		return err
	}
	for _, name := range files {
		fmt.Println(name)
	}
	fmt.Printf("%s and %s, %s written\n", formatCount(len(site.Pages), "page"), formatCount(len(site.Widgets), "widget"), formatCount(len(files), "file"))
	if _, err := content.LoadFrom(os.DirFS(c.Dir)); err != nil {
		notes = append(notes, "before these files can be pushed: "+err.Error())
	}
	for _, note := range notes {
		fmt.Fprintln(os.Stderr, "weft:", note)
	}
	return nil
}

// ids parses the ids in the arguments.
func (c pullContent) ids() ([]graph.ID, error) {
	if c.All && len(c.IDs) > 0 {
		return nil, usageErrorf("--all and ids cannot be combined")
	}
	var all []graph.ID
	for _, text := range c.IDs {
		id, err := graph.ParseID(text)
		if err != nil || !id.IsReal() {
			return nil, usageErrorf("%s is not the id of a page or widget", graph.Clip(text))
		}
		all = append(all, id)
	}
	return all, nil
}

type listContent struct{ graphFlags }

// Run prints a line for each page and widget.
func (c listContent) Run() error {
	ctx, stop := interruptible()
	defer stop()
	r, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	items, err := content.List(ctx, r)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, item := range items {
		details := item.Slug
		if item.Kind == "widget" {
			details = fmt.Sprintf("shows %d, newest %d", item.Published, item.Newest)
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%s\t%s\n", item.Kind, item.Name, item.ID, details, item.Title)
	}
	return out.Flush()
}

type publishContent struct {
	graphFlags
	Name string `arg:"" placeholder:"NAME[@VERSION]" help:"Folder or id of a widget, and a version; 0 is the original. The default is the newest version."`
}

// Run publishes a version.
func (c publishContent) Run() error {
	ctx, stop := interruptible()
	defer stop()
	name, versionText, hasVersion := strings.Cut(c.Name, "@")
	version := content.Newest
	if hasVersion {
		n, err := strconv.Atoi(versionText)
		if err != nil || n < 0 {
			return usageErrorf("%s: %q is not a version number", graph.Clip(c.Name), graph.Clip(versionText))
		}
		version = n
	}
	return c.withWritableStore(ctx, func(store graph.Store, by graph.Sender) error {
		shown, err := content.Publish(ctx, store, name, version, by)
		if err == nil {
			fmt.Printf("widget %s: shows version %d\n", name, shown)
		}
		return err
	})
}
