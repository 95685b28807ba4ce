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

// layers lists the permitted imports of each package, besides the standard library. Test files may also import the
// packages in testImports.
var layers = map[string][]string{
	"graph":                        {},
	"internal/spec":                {"graph"},
	"composition":                  {"graph", "github.com/go-json-experiment/json/jsontext"},
	"query":                        {"graph", "composition", "internal/budget", "internal/longwork"},
	"internal/querytest":           {"graph", "internal/spec", "query", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts"},
	"wire":                         {"graph", "composition", "query", "schema"},
	"internal/server/legacysearch": {"graph", "composition", "query", "wire"},
	"internal/store/kv":            {"graph"},
	"internal/store/kv/kvtest":     {"graph", "internal/store/kv", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts"},
	"internal/server/openapi":      {"internal/site/look"},
	"docs":                         {},
	"internal/site/look":           {"golang.org/x/net/html", "golang.org/x/net/html/atom"},
	"internal/site/manual": {
		"graph", "internal/site/look", "github.com/microcosm-cc/bluemonday", "github.com/yuin/goldmark", "github.com/yuin/goldmark/ast", "github.com/yuin/goldmark/extension",
		"github.com/yuin/goldmark/parser", "github.com/yuin/goldmark/renderer", "github.com/yuin/goldmark/renderer/html", "github.com/yuin/goldmark/text", "github.com/yuin/goldmark/util",
	},
	"validate":                     {"graph"},
	"schema":                       {"graph", "composition", "validate"},
	"internal/telemetry/clientlog": {"graph", "internal/store/kv"},
	"internal/audit":               {"graph", "internal/store/kv"},
	"internal/telemetry/operation": {"graph"},
	"internal/telemetry/usage":     {"graph", "internal/store/kv"},
	"internal/telemetry/anomaly":   {"graph", "internal/store/kv", "validate"},
	"internal/store/storetest":     {"graph", "internal/race", "internal/store/kv", "internal/store/raw", "internal/store/memory", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts"},
	"internal/store/memory":        {"graph", "internal/budget", "internal/store/kv"},
	"internal/store/cache":         {"graph", "internal/budget"},
	"internal/store/raw":           {"graph", "internal/store/kv"},
	"internal/store/sqlstore":      {"graph", "internal/budget", "internal/store/kv"},
	"internal/store/plan":          {"graph"},
	"internal/store/sqlite":        {"graph", "internal/budget", "internal/longwork", "internal/store/plan", "internal/store/sqlstore", "internal/store/kv", "internal/store/raw", "modernc.org/sqlite"},
	"internal/store/postgres": {
		"graph", "internal/budget", "internal/longwork", "internal/store/plan", "internal/store/sqlstore", "internal/store/kv", "internal/store/raw", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn", "github.com/jackc/pgx/v5/pgxpool",
	},
	"internal/schemas":    {"graph", "composition", "internal/keylock", "schema", "wire"},
	"internal/typesource": {"graph", "composition", "schema"},
	"internal/buckettest": {"graph", "internal/files/blob"},
	"internal/budget":     {"graph", "internal/longwork"},
	"internal/longwork":   {},
	"internal/keylock":    {},
	"internal/clock":      {},
	"internal/race":       {},
	"internal/everystore": {"graph", "internal/pgtest", "internal/store/memory", "internal/store/postgres", "internal/store/sqlite"},
	"internal/pgtest":     {"github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn"},
	"internal/querycases": {"internal/spec", "query", "internal/querytest", "internal/store/memory"},
	"internal/backup":     {"graph", "internal/files/blob", "internal/store/kv", "internal/store/sqlite", "github.com/klauspost/compress/zstd"},
	"internal/access":     {"graph", "internal/budget"},
	"internal/explore":    {"graph"},
	"internal/shares":     {"graph", "internal/longwork"},
	"internal/account":    {"graph", "internal/store/kv", "internal/shares", "internal/access", "internal/store/raw", "golang.org/x/crypto/argon2", "github.com/golang-jwt/jwt/v5"},
	"internal/store/feed": {"graph", "internal/budget"},
	"internal/site/sharecard": {
		"git.sr.ht/~sbinet/gg", "golang.org/x/image/font", "golang.org/x/image/font/opentype", "golang.org/x/image/font/sfnt",
		"golang.org/x/image/font/gofont/gobold", "golang.org/x/image/font/gofont/goregular",
	},
	"internal/site/page": {
		"graph", "internal/budget", "internal/longwork", "internal/site/sharecard", "github.com/microcosm-cc/bluemonday", "golang.org/x/net/html", "golang.org/x/net/html/atom",
		"github.com/tdewolff/parse/v2", "github.com/tdewolff/parse/v2/css",
	},
	"internal/site/content":           {"graph", "internal/site/page"},
	"internal/dataset/wordnet":        {"graph"},
	"internal/dataset/wordnet/sample": {"internal/dataset/wordnet"},
	"internal/dataset/shop":           {"graph"},
	"internal/dataset/sample":         {"graph", "composition", "schema", "internal/dataset/wordnet"},
	"internal/files/blob":             {"graph", "github.com/minio/minio-go/v7", "github.com/minio/minio-go/v7/pkg/credentials", "github.com/minio/minio-go/v7/pkg/s3utils"},
	"internal/files/upload": {
		"graph", "internal/store/kv", "internal/files/blob", "golang.org/x/image/draw", "golang.org/x/image/webp",
	},
	"internal/mail/mailtest": {"github.com/emersion/go-smtp"},
	"internal/mail": {
		"graph", "internal/store/kv", "github.com/wneessen/go-mail", "github.com/microcosm-cc/bluemonday",
		"golang.org/x/net/html", "golang.org/x/net/html/atom",
	},
	"client/outbox": {"client", "graph", "schema", "wire", "modernc.org/sqlite"},
	"client":        {"graph", "schema", "composition", "wire", "query", "golang.org/x/sync/errgroup"},
	"internal/server": {
		"graph", "schema", "internal/schemas", "internal/typesource", "internal/budget", "internal/keylock", "internal/longwork", "internal/store/kv", "internal/store/raw", "composition", "query", "internal/server/legacysearch", "wire", "internal/access", "internal/account", "internal/explore", "internal/shares", "golang.org/x/time/rate", "internal/store/feed", "internal/site/content", "internal/site/page", "internal/site/sharecard", "internal/server/openapi", "internal/files/upload", "internal/mail", "internal/telemetry/clientlog", "internal/telemetry/usage", "internal/telemetry/anomaly", "validate", "internal/store/cache", "github.com/klauspost/compress/gzhttp",
		"internal/dataset/sample", "internal/site/manual",
		"internal/audit", "internal/telemetry/operation", "internal/backup",
		"github.com/prometheus/client_golang/prometheus", "golang.org/x/sync/semaphore", "go.opentelemetry.io/otel/attribute", "go.opentelemetry.io/otel/codes",
		"go.opentelemetry.io/otel/propagation", "go.opentelemetry.io/otel/trace", "golang.org/x/time/rate",
	},
	"internal/server/servertest": {"graph", "internal/files/blob", "internal/files/upload", "internal/server", "internal/account", "internal/store/kv", "internal/store/memory"},
	".": {
		"client", "graph", "schema", "internal/access", "internal/account", "internal/files/upload", "internal/host", "internal/schemas", "internal/server",
		"internal/store/kv",
	},
	"internal/host": {
		"graph", "web", "internal/account", "internal/files/blob", "internal/files/upload", "internal/mail", "internal/server", "internal/site/content", "internal/site/page",
		"internal/store/kv", "internal/store/memory", "internal/store/postgres", "internal/store/raw", "internal/store/sqlite",
	},
	"web": {},
	"cmd/weft": {
		"graph", "internal/host", "schema", "internal/schemas", "internal/typesource", "composition", "query", "wire", "internal/backup", "internal/store/memory", "internal/store/postgres", "internal/store/raw", "internal/store/sqlite", "internal/access", "internal/account", "internal/files/blob", "internal/store/kv", "internal/files/upload", "internal/mail", "internal/telemetry/clientlog", "internal/telemetry/usage", "docs", "internal/site/content", "internal/site/manual", "internal/site/page",
		"internal/telemetry/operation", "internal/server", "client", "internal/dataset/wordnet", "internal/dataset/shop", "web", "github.com/alecthomas/kong", "github.com/fsnotify/fsnotify", "github.com/schollz/progressbar/v3",
		"go.yaml.in/yaml/v3", "github.com/BurntSushi/toml", "github.com/klauspost/compress/zstd",
		"golang.org/x/crypto/acme", "golang.org/x/crypto/acme/autocert",
		"github.com/prometheus/client_golang/prometheus", "github.com/prometheus/client_golang/prometheus/collectors",
		"github.com/prometheus/client_golang/prometheus/promhttp", "go.opentelemetry.io/otel/attribute",
		"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp", "go.opentelemetry.io/otel/sdk/resource",
		"go.opentelemetry.io/otel/sdk/trace",
	},
}

// testImports lists the imports that are permitted in the test files of every package.
var testImports = []string{
	"client", "composition", "docs", "internal/site/manual", "modernc.org/sqlite/lib",
	"internal/buckettest", "internal/clock", "internal/everystore", "internal/querytest", "internal/spec", "internal/pgtest", "internal/race", "internal/store/postgres", "internal/store/storetest", "internal/store/kv/kvtest", "internal/store/memory", "internal/store/cache", "internal/store/sqlite", "internal/server/servertest", "internal/dataset/shop",
	"github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts", "github.com/rogpeppe/go-internal/testscript", "pgregory.net/rapid", "go.uber.org/goleak",
	"golang.org/x/net/html", "golang.org/x/net/dns/dnsmessage", "internal/site/content", "internal/access", "internal/store/feed", "github.com/getkin/kin-openapi/openapi3", "github.com/emersion/go-smtp", "internal/mail/mailtest", "internal/files/blob", "internal/files/upload",
}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	for file := range goFiles(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		allowed, known := layers[pkg]
		if !known {
			t.Errorf("%s: package %s is not listed in layers_test.go", file, pkg)
			continue
		}
		seen[pkg] = true
		if strings.HasSuffix(file, "_test.go") {
			allowed = append(slices.Clone(allowed), append(testImports, pkg)...)
		}
		for _, imported := range importsOf(t, file) {
			if !slices.Contains(allowed, imported) {
				t.Errorf("%s: %s may not import %s", file, pkg, imported)
			}
		}
	}
	for pkg := range layers {
		if !seen[pkg] {
			t.Errorf("package %s is listed in layers_test.go but does not exist", pkg)
		}
	}
}

func TestEveryPackageHasADocComment(t *testing.T) {
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
	for pkg, isCommented := range commented {
		if !isCommented {
			t.Errorf("package %s has no doc comment", pkg)
		}
	}
}

// goFiles yields the path of every Go file of this module, relative to its root. It reads the folders itself, because
// the test cache notices changes of files that a test opens, but not changes of files that the go command reads for
// it.
func goFiles(t *testing.T) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains([]string{"node_modules", "testdata", "tools", "bench", "s3test", ".git"}, entry.Name()):
				return filepath.SkipDir
			case filepath.Ext(path) == ".go" && (filepath.Dir(path) != "." || !strings.HasSuffix(path, "_test.go")) && !yield(path):
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// importsOf returns the imports of a file, without the standard library. Packages of this module are named without the
// module path.
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
