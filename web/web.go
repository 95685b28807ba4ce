// Package web holds the built site, the built console and the built npm packages, so that one binary serves everything.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:site/dist all:console/dist all:packages/dist
var dist embed.FS

// Site is the built site: index.html and its assets. If `make web` has not run, it contains only a
// placeholder.
func Site() fs.FS { return sub("site/dist") }

// Console is the built console: index.html and its assets. If `make web` has not run, it contains only a placeholder.
func Console() fs.FS { return sub("console/dist") }

// Packages has the built packages in the folder packages, with index.json, and the modules for pages without a build step
// in the folder client. If `make packages` has not run, it contains only a placeholder.
func Packages() fs.FS { return sub("packages/dist") }

func sub(folder string) fs.FS {
	files, err := fs.Sub(dist, folder)
	if err != nil {
		panic(err) // the folder is named in the directive above
	}
	return files
}
