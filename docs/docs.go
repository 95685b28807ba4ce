// Package docs embeds the documentation, so that every server can show it.
package docs

import "embed"

// Files holds the Markdown files of this folder. Decisions and images are not included.
//
//go:embed *.md
var Files embed.FS
