package main

import (
	"io/fs"
	"net/url"
	"strings"

	"github.com/weft-graph/weft/docs"
	"github.com/weft-graph/weft/internal/site/manual"
	"github.com/weft-graph/weft/web"
)

// siteFlags are the addresses of downloads, packages and sources to which the documentation of the server links.
type siteFlags struct {
	DownloadsURL string `env:"WEFT_DOWNLOADS_URL" placeholder:"URL" help:"Page with binaries for operating systems, to which the documentation links."`
	PackagesURL  string `env:"WEFT_PACKAGES_URL" placeholder:"URL" help:"Page with the npm packages, to which the documentation links. The default is the page of this server."`
	SourcesURL   string `env:"WEFT_SOURCES_URL" placeholder:"URL" help:"Folder with the source files, to which the documentation links, e.g. https://git.example.org/weft/blob/main."`
}

// manual returns the documentation, with the addresses of the flags.
func (f siteFlags) manual() (*manual.Manual, error) {
	var links manual.Links
	for _, setting := range []struct {
		flag, address string
		to            *string
	}{
		{"--downloads-url", f.DownloadsURL, &links.Downloads},
		{"--packages-url", f.PackagesURL, &links.Packages},
		{"--sources-url", f.SourcesURL, &links.Sources},
	} {
		u, err := url.Parse(setting.address)
		if setting.address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			return nil, usageErrorf("%s: %q is not a URL such as https://example.org/weft", setting.flag, setting.address)
		}
		*setting.to = strings.TrimRight(setting.address, "/")
	}
	index, _ := fs.ReadFile(web.Site(), "index.html") // missing when the site was not built
	return manual.New(docs.Files, manual.Options{Site: index, Links: links}), nil
}
