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
	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
)

type contentCommand struct {
	Push    pushContent    `cmd:"" help:"Put a directory of pages and widgets into a graph, as versions of what is there."`
	Pull    pullContent    `cmd:"" help:"Write the pages and widgets of a graph into a directory."`
	List    listContent    `cmd:"" help:"List the pages and widgets of the site, and which versions are shown."`
	Publish publishContent `cmd:"" help:"Show a version of a widget, also an older one."`
}

// change opens the graph for a task that writes, and says who does: over the network whoever the token belongs to.
func (f graphFlags) change(ctx context.Context, task func(store graph.Store, by graph.Sender) error) error {
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
		err = fmt.Errorf("%w; the site is changed with the access token of an admin, in --token or WEFT_TOKEN", err)
	}
	return err
}

type pushContent struct {
	graphFlags
	Dir     string `arg:"" type:"existingdir" help:"Directory with pages/*.json and widgets/*/widget.json."`
	Publish bool   `help:"Show what is pushed. Without it, versions are saved and nothing that is shown changes."`
	DryRun  bool   `help:"Say what would change, and change nothing."`
	Watch   bool   `help:"Push and publish again whenever a file changes, until interrupted."`
}

// Help says what the one-line help of the flags cannot.
func (pushContent) Help() string {
	return `A widget that differs from its newest version becomes another version; one that does not writes nothing. All of a push ` +
		`is one batch: it happens whole or not at all. What the graph holds besides stays. Pages have no versions: they are written ` +
		`with --publish. docs/content.md tells what the files hold.`
}

// Run pushes once, or until interrupted.
func (c pushContent) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if c.Watch && c.DryRun {
		return misusef("--watch publishes, and --dry-run changes nothing")
	}
	return c.change(ctx, func(store graph.Store, by graph.Sender) error {
		o := content.Options{By: by, Publish: c.Publish || c.Watch, DryRun: c.DryRun}
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

func (c pushContent) push(ctx context.Context, store graph.Store, o content.Options) error {
	site, err := content.LoadFrom(os.DirFS(c.Dir))
	if err != nil {
		return err
	}
	changes, err := site.Push(ctx, store, o)
	if err != nil {
		return err
	}
	made := map[string]int{}
	for _, change := range changes {
		if change.Became == content.Unchanged {
			continue
		}
		made[change.What]++
		fmt.Printf("%s %s: %s\n", change.What, change.Name, change.Became)
	}
	pages, widgets := made["page"], made["widget"]
	fmt.Printf("%s and %s changed, %d unchanged\n", count(pages, "page"), count(widgets, "widget"), len(changes)-pages-widgets)
	return nil
}

type pullContent struct {
	graphFlags
	Dir string   `arg:"" type:"path" help:"Directory to write into; it is made when it is not there."`
	IDs []string `arg:"" optional:"" help:"Pages and widgets by id, with all that stands in them. Left out, it is the site."`
	All bool     `help:"Write all pages and widgets there are, whoever made them."`
}

// Help says what the one-line help of the flags cannot.
func (pullContent) Help() string {
	return `Widgets are written in their newest version. What is not the site's own keeps its id in its file, so that a later push makes ` +
		`a version of the same widget. Files of the same names are overwritten. Pushing what was pulled changes nothing.`
}

// Run writes files, and says which.
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
		if ids, err = content.Everything(ctx, r); err != nil {
			return err
		}
	}
	site, notes, err := content.Pull(ctx, r, ids...)
	if err != nil {
		return err
	}
	if len(site.Pages)+len(site.Widgets) == 0 {
		return errors.New("there are no pages or widgets to pull")
	}
	wrote, err := site.Save(c.Dir)
	if err != nil {
		return err
	}
	for _, name := range wrote {
		fmt.Println(name)
	}
	fmt.Printf("%s and %s, %s written\n", count(len(site.Pages), "page"), count(len(site.Widgets), "widget"), count(len(wrote), "file"))
	if _, err := content.LoadFrom(os.DirFS(c.Dir)); err != nil {
		notes = append(notes, "before it can be pushed: "+err.Error())
	}
	for _, note := range notes {
		fmt.Fprintln(os.Stderr, "weft:", note)
	}
	return nil
}

func (c pullContent) ids() ([]graph.ID, error) {
	if c.All && len(c.IDs) > 0 {
		return nil, misusef("--all writes everything; leave out the ids")
	}
	var all []graph.ID
	for _, text := range c.IDs {
		id, err := graph.ParseID(text)
		if err != nil || !id.Real() {
			return nil, misusef("%s is no id of a page or widget", graph.Clip(text))
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
		about := item.Slug
		if item.What == "widget" {
			about = fmt.Sprintf("shows %d, newest %d", item.Shown, item.Newest)
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%s\t%s\n", item.What, item.Name, item.ID, about, item.Title)
	}
	return out.Flush()
}

type publishContent struct {
	graphFlags
	Name string `arg:"" placeholder:"NAME[@VERSION]" help:"Folder or id of a widget, and a version; 0 is the original. Left out, it is the newest."`
}

// Run shows a version.
func (c publishContent) Run() error {
	ctx, stop := interruptible()
	defer stop()
	name, wanted, chosen := strings.Cut(c.Name, "@")
	version := content.Newest
	if chosen {
		n, err := strconv.Atoi(wanted)
		if err != nil || n < 0 {
			return misusef("%s: %q is no number of a version", graph.Clip(c.Name), graph.Clip(wanted))
		}
		version = n
	}
	return c.change(ctx, func(store graph.Store, by graph.Sender) error {
		shown, err := content.Publish(ctx, store, name, version, by)
		if err == nil {
			fmt.Printf("widget %s: shows version %d\n", name, shown)
		}
		return err
	})
}
