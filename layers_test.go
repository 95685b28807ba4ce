package weft_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/weft-graph/weft/"

// The map of the house: a package may import the standard library and what stands behind its name.
// The tests of a package may also import what forTests lists.
//
// The files are parsed rather than asked for through the go command, so that the test cache notices
// a change.
var layers = map[string][]string{
	"graph":            {},
	"internal/vectors": {"graph"},
	"composition":      {"graph", "github.com/go-json-experiment/json/jsontext"},
	"query":            {"graph", "composition"},
	"query/querytest":  {"graph", "internal/vectors", "query", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts"},
	"wire":             {"graph", "composition", "query"},
	"search":           {"graph", "composition", "query", "wire"},
	"kv":               {"graph"},
	"kv/kvtest":        {"graph", "kv", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts"},
	"openapi":          {"golang.org/x/net/html", "golang.org/x/net/html/atom"},
	"validate":         {"graph"},
	"journal":          {"graph", "kv"},
	"track":            {"graph", "kv"},
	"anomaly":          {"graph", "kv", "validate"},
	"store/storetest":  {"graph", "kv", "store/raw", "store/memory", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts"},
	"store/memory":     {"graph", "kv"},
	"store/cache":      {"graph"},
	"store/raw":        {"graph", "kv"},
	"store/sqlstore":   {"graph"},
	"store/sqlite":     {"graph", "store/sqlstore", "kv", "store/raw", "modernc.org/sqlite"},
	"store/postgres": {
		"graph", "store/sqlstore", "kv", "store/raw", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn", "github.com/jackc/pgx/v5/pgxpool",
	},
	"internal/clock":      {},
	"internal/everystore": {"graph", "internal/pgtest", "store/memory", "store/postgres", "store/sqlite"},
	"internal/pgtest":     {"github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn"},
	"internal/querycases": {"internal/vectors", "query", "query/querytest", "store/memory"},
	"backup":              {"graph", "blob", "kv", "store/sqlite", "github.com/klauspost/compress/zstd"},
	"auth":                {"graph"},
	"account":             {"graph", "kv", "auth", "store/raw", "golang.org/x/crypto/argon2", "github.com/golang-jwt/jwt/v5"},
	"feed":                {"graph"},
	"picture": {
		"git.sr.ht/~sbinet/gg", "golang.org/x/image/font", "golang.org/x/image/font/opentype", "golang.org/x/image/font/sfnt",
		"golang.org/x/image/font/gofont/gobold", "golang.org/x/image/font/gofont/goregular",
	},
	"page": {
		"graph", "picture", "github.com/microcosm-cc/bluemonday", "golang.org/x/net/html", "golang.org/x/net/html/atom",
		"github.com/tdewolff/parse/v2", "github.com/tdewolff/parse/v2/css",
	},
	"content":        {"graph", "page"},
	"wordnet":        {"graph"},
	"wordnet/sample": {"wordnet"},
	"shop":           {"graph"},
	"blob":           {"graph", "github.com/minio/minio-go/v7", "github.com/minio/minio-go/v7/pkg/credentials", "github.com/minio/minio-go/v7/pkg/s3utils"},
	"upload": {
		"graph", "kv", "blob", "golang.org/x/image/draw", "golang.org/x/image/webp", "golang.org/x/sync/semaphore",
	},
	"mail/mailtest": {"github.com/emersion/go-smtp"},
	"mail": {
		"graph", "kv", "github.com/wneessen/go-mail", "github.com/microcosm-cc/bluemonday",
		"golang.org/x/net/html", "golang.org/x/net/html/atom",
	},
	"client": {"graph", "wire", "query", "golang.org/x/sync/errgroup"},
	"server": {
		"graph", "kv", "store/raw", "composition", "query", "search", "wire", "auth", "account", "golang.org/x/time/rate", "feed", "page", "picture", "openapi", "upload", "mail", "journal", "track", "anomaly", "validate", "store/cache", "github.com/klauspost/compress/gzhttp",
		"github.com/prometheus/client_golang/prometheus", "golang.org/x/sync/semaphore", "go.opentelemetry.io/otel/attribute", "go.opentelemetry.io/otel/codes",
		"go.opentelemetry.io/otel/propagation", "go.opentelemetry.io/otel/trace", "golang.org/x/time/rate",
	},
	"server/servertest": {"graph", "server", "account", "kv", "store/memory"},
	"web":               {},
	"cmd/weft": {
		"graph", "composition", "query", "wire", "backup", "store/memory", "store/postgres", "store/raw", "store/sqlite", "auth", "account", "blob", "kv", "upload", "mail", "journal", "track", "content", "page",
		"server", "client", "wordnet", "shop", "web", "github.com/alecthomas/kong", "github.com/fsnotify/fsnotify", "github.com/schollz/progressbar/v3",
		"go.yaml.in/yaml/v3", "github.com/BurntSushi/toml", "github.com/klauspost/compress/zstd",
		"golang.org/x/crypto/acme", "golang.org/x/crypto/acme/autocert",
		"github.com/prometheus/client_golang/prometheus", "github.com/prometheus/client_golang/prometheus/collectors",
		"github.com/prometheus/client_golang/prometheus/promhttp", "go.opentelemetry.io/otel/attribute",
		"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp", "go.opentelemetry.io/otel/sdk/resource",
		"go.opentelemetry.io/otel/sdk/trace",
	},
}

var forTests = []string{
	"client",
	"internal/clock", "internal/everystore", "query/querytest", "internal/vectors", "internal/pgtest", "store/postgres", "store/storetest", "kv/kvtest", "store/memory", "store/cache", "store/sqlite", "server/servertest", "shop",
	"github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts", "github.com/rogpeppe/go-internal/testscript", "pgregory.net/rapid", "go.uber.org/goleak",
	"golang.org/x/net/html", "golang.org/x/net/dns/dnsmessage", "content", "auth", "feed", "github.com/getkin/kin-openapi/openapi3", "github.com/emersion/go-smtp", "mail/mailtest", "blob", "upload",
}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	for file := range goFiles(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		allowed, known := layers[pkg]
		if !known {
			t.Errorf("%s: package %s is not on the map in layers_test.go", file, pkg)
			continue
		}
		seen[pkg] = true
		if strings.HasSuffix(file, "_test.go") {
			allowed = append(slices.Clone(allowed), append(forTests, pkg)...)
		}
		for _, imported := range importsOf(t, file) {
			if !slices.Contains(allowed, imported) {
				t.Errorf("%s: %s may not import %s", file, pkg, imported)
			}
		}
	}
	for pkg := range layers {
		if !seen[pkg] {
			t.Errorf("package %s is on the map but not in the tree", pkg)
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	commented := map[string]bool{}
	for file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		commented[pkg] = commented[pkg] || parsed.Doc != nil
	}
	for pkg, yes := range commented {
		if !yes {
			t.Errorf("package %s has no comment", pkg)
		}
	}
}

// goFiles yields every Go file of this module, relative to its root.
func goFiles(t *testing.T) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains([]string{"node_modules", "testdata", "tools", "bench", "s3test", ".git"}, entry.Name()):
				return filepath.SkipDir
			case filepath.Ext(path) == ".go" && filepath.Dir(path) != "." && !yield(path):
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// importsOf lists what a file imports besides the standard library; our own packages without the module's name.
func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") {
			found = append(found, strings.TrimPrefix(path, module))
		}
	}
	return found
}
