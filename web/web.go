// Package web holds the built site, so that one binary serves everything.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:site/dist
var dist embed.FS

// Site is the built site: index.html and its assets. In a tree where `make web` has not run it is empty
// but for a placeholder.
func Site() fs.FS {
	site, err := fs.Sub(dist, "site/dist")
	if err != nil {
		panic(err) // the folder is named in the directive above
	}
	return site
}
