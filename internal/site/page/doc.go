// Package page loads stored pages and widgets and renders them as safe HTML documents.
//
// A page is a record with a slug, a title, settings and a body widget. A widget is a record with HTML, CSS, code and
// child widgets, each of which is placed in an element of its parent's HTML. Everything stored is treated as hostile.
//
// Loading is a pipeline:
//
//	Load        slug → page record → settings and body          load.go
//	  resolve   widget → the requested version                  version.go
//	  read      widgets level by level, within the limits       tree.go
//	  assemble  widgets → tree; a widget may occur repeatedly   tree.go
//	Render      tree → static HTML and scoped CSS               render.go, html.go, css.go
//	Shell.Fill  HTML, CSS and data → document and its policy    shell.go
//
// All stages before Render read through a recordReader (reader.go), which reads each record once, and decides which
// links belong to a record. The cost of a tree is about six reads of the store for each level, however many widgets a
// level has.
//
// A Policy (policy.go) determines which owners publish pages and how far the code of each owner is trusted; see
// docs/decisions/0018. Sanitised HTML and checked CSS are shown for every widget, code only for trusted owners.
package page
