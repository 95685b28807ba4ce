# `make` prints the targets.

LISTEN ?= 127.0.0.1:8080
DATA   ?= weft-data
LINT   := go tool -modfile=tools/go.mod golangci-lint
NPM    := npm --prefix web

.DEFAULT_GOAL := help

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build everything and serve it at http://127.0.0.1:8080, where guests may write
	bin/weft serve --listen $(LISTEN) --data $(DATA) --anonymous-writes --mail print --sample-words

build: web web/packages/dist/packages/index.json ## build the site, the console, the packages and the binary: bin/weft
	go build -o bin/weft ./cmd/weft

web: web/site/dist/index.html web/console/dist/index.html ## build the site and the console that the binary carries

SITE := $(shell find web/client/src web/code/src web/react/src web/site -type f -not -path '*/dist/*' -not -path '*/node_modules/*' 2>/dev/null)
web/site/dist/index.html: web/node_modules/.installed $(SITE)
	$(NPM) run --silent build

CONSOLE := $(shell find web/client/src web/code/src web/react/src web/console web/site/src/styles web/site/src/shared -type f -not -path '*/dist/*' -not -path '*/node_modules/*' 2>/dev/null)
web/console/dist/index.html: web/node_modules/.installed web/site/brotli.ts $(CONSOLE)
	$(NPM) run --silent build:console

packages: web/packages/dist/packages/index.json ## build the npm packages: dist/packages/*.tgz
	@mkdir -p dist/packages && rm -f dist/packages/*
	cp web/packages/dist/packages/* dist/packages/
	@ls -l dist/packages

PACKAGED := $(shell find web/client web/react web/compat web/packages web/create \( -path '*/src/*' -o -path '*/templates/*' -o -name package.json -o -name README.md -o -name build.ts \) \
	-type f -not -path '*/dist/*' -not -path '*/node_modules/*' 2>/dev/null)
web/packages/dist/packages/index.json: web/node_modules/.installed $(PACKAGED)
	$(NPM) run --silent build:packages

web/node_modules/.installed: web/package-lock.json
	$(NPM) ci --no-audit --no-fund
	@touch $@

# The race detector skips SQLite: it is C code translated to Go, and would run three times slower.
RACE := -race -gcflags='modernc.org/...=-race=false'

# The packages whose tests the race detector does not run: those that start no goroutine, not even in a test, the root package, whose
# tests read files, and the attacks, whose server is another process.
UNRACED := . ./bench/... ./composition ./graph ./internal/dataset/... ./internal/querycases ./internal/querytest ./internal/server/openapi \
  ./internal/site/sharecard ./internal/spec ./internal/store/plan ./internal/store/sqlstore ./query ./schema ./validate ./wire
RACED = $$(go list ./... | grep -vFx "$$(go list $(UNRACED))")

# All tests run without the race detector, with their full numbers of records, kills and random cases. The race detector then runs
# them again, without those that call race.Skip and with fewer random cases. Many tests wait, so three packages run at a time.
# A process with the race detector sleeps for a second when it ends, unless GORACE changes that. Scripts start hundreds of them.
test: check build compiler browser database bin/s3test ## run the checks, then all tests: Go, TypeScript, the whole program in Chromium
	go test -p 3 -vet=off -timeout 30m ./...
	GORACE=atexit_sleep_ms=10 RAPID_CHECKS=20 go test -p 3 $(RACE) -vet=off -timeout 30m $(RACED)
	$(NPM) run --silent test:behavior

test-next: build browser ## test the packages in Next, which needs 340 MB of further packages
	cd web && NEXT=1 npx vitest run packages/test/next.test.ts

# The unit tests of TypeScript mostly wait for servers, so more of them than processors run at a time.
quick: build ## run the unit tests, in about a minute after the first run: no browser, no PostgreSQL, no race detector, no packages, no random tests of TypeScript
	go test -short ./...
	$(NPM) run --silent test:unit -- --maxWorkers=6 --exclude='**/*-dice.test.ts' --exclude='packages/**'

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release: web web/packages/dist/packages/index.json ## build the binaries of a release, their checksums and the context of a container image: dist/release
	rm -rf dist/release && mkdir -p dist/release/data
	set -e; for platform in $(PLATFORMS); do \
	  os=$${platform%/*} arch=$${platform#*/}; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags '-s -w' \
	    -o dist/release/weft-$$os-$$arch$$([ $$os = windows ] && echo .exe || :) ./cmd/weft; \
	done
	cd dist/release && sha256sum weft-* > SHA256SUMS
	cp Dockerfile LICENSE dist/release/
	@cat dist/release/SHA256SUMS

check: web ## check format, lint, types, imports, unused code, sizes, prose and decisions; changes no file
	$(LINT) run
	go mod tidy -diff
	go test .
	cd web && npx biome check . && npx tsc && npx knip && npm run --silent test:structure

fmt: web/node_modules/.installed ## format everything
	$(LINT) fmt
	cd web && npx biome check --write .

COUNT    ?= 5
CONCEPTS ?= 1000000
bench: build database ## run the benchmarks and write bench/RESULTS.md; includes the import of WordNet if it is installed
	{ cat bench/about.md; \
	  go test -run '^$$' -bench . -benchtime 300ms -count $(COUNT) ./... | go run ./bench && \
	  printf '\n## The browser library, beside plain Maps\n\n```text\n' && $(NPM) run --silent bench && echo '```' && \
	  printf '\n## The server, compared with others\n\n' && go -C bench/versus run . -weft ../../bin/weft -concepts $(CONCEPTS); } > bench/RESULTS.new
	mv bench/RESULTS.new bench/RESULTS.md
	$(MAKE) bench-queries
	cat bench/RESULTS.md

# SHOP is a directory in which the generated data is kept between runs. SCALE multiplies its size.
SHOP  ?=
SCALE ?= 1
bench-queries: build database ## compare queries with hand-written SQL and SurrealDB; updates a section of bench/RESULTS.md
	go -C bench/versus run ./queries -weft ../../bin/weft -data '$(abspath $(SHOP))' -scale $(SCALE) -surreal -into ../RESULTS.md

bench-site: build browser ## measure the public site, and widgets against plain React; updates a section of web/bench/RESULTS.md
	{ printf 'Measured with Chromium %s on %s processors: %s.\n\n' "$$(chromium --version | grep -o '[0-9][0-9]*' | head -1)" "$$(nproc)" \
	    "$$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" && \
	  $(NPM) run --silent bench:site && echo && $(NPM) run --silent bench:widgets; } > web/bench/RESULTS.new
	node web/bench/part.mjs 'The public site' < web/bench/RESULTS.new
	rm web/bench/RESULTS.new
	cat web/bench/RESULTS.md

# RECORDS is the number of records in the grid.
RECORDS ?= 1000000
bench-console: build browser ## measure the grid of the console on RECORDS records; updates a section of web/bench/RESULTS.md
	{ printf 'Measured with Chromium %s on %s processors: %s.\n\n' "$$(chromium --version | grep -o '[0-9][0-9]*' | head -1)" "$$(nproc)" \
	    "$$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" && \
	  RECORDS=$(RECORDS) node web/run.mjs web/bench/console.ts; } > web/bench/RESULTS.new
	node web/bench/part.mjs 'The console' < web/bench/RESULTS.new
	rm web/bench/RESULTS.new
	cat web/bench/RESULTS.md

bench-web: build browser ## compare the client with other libraries in Node and Chromium; updates a section of web/bench/RESULTS.md
	node web/run.mjs web/client/bench/beside.ts
	cat web/bench/RESULTS.md

SEEDS ?= 1000
faults: build browser ## simulate users on failing networks, servers and disks, by seed; count lost and doubled writes
	node web/client/faults/run.mjs --seeds $(SEEDS)
	node web/client/faults/run.mjs --chromium --seeds $$(( ($(SEEDS) + 19) / 20 ))

# FUZZONLY selects tests by a regular expression, such as wire.FuzzSync.
FUZZTIME ?= 1m
FUZZONLY ?=
fuzz: ## run every fuzz test in turn for FUZZTIME each; print the executions of each
	go run ./bench/fuzz -time $(FUZZTIME) -only '$(FUZZONLY)'

# STORE=postgres starts a PostgreSQL server; the URL of an empty database is possible, too. The default is SQLite. ATTACKS selects attacks by a regular expression.
DURATION ?= 10m
# PRIORITY=-15 gives the run priority over other programs of a busy machine, which requires root.
STORE    ?=
ATTACKS  ?=
PRIORITY ?= 0
abuse: build database ## attack the server for DURATION beside honest users, and write bench/ABUSE.md; fails if a bound is broken
	go build -o bin/abuse ./bench/abuse
	bin/abuse -weft bin/weft -duration $(DURATION) -store '$(STORE)' -only '$(ATTACKS)' -priority $(PRIORITY) -into bench/ABUSE.md; \
	  status=$$?; cat bench/ABUSE.md; exit $$status

wordnet: build ## install WordNet 3.0 from Debian and import all of it
	@test -f /usr/share/wordnet/data.noun || { $(APT_UPDATE) && $(APT_INSTALL) wordnet-base; }
	bin/weft import wordnet /usr/share/wordnet --data $(DATA)

# Tests of uploads and backups start this S3 server. It is a separate module, so that its dependencies stay out of Weft.
bin/s3test: $(wildcard internal/s3test/*)
	go -C internal/s3test build -o $(abspath $@) .

# The race detector needs a C compiler.
compiler:
	@command -v $$(go env CC) >/dev/null || { $(APT_UPDATE) && $(APT_INSTALL) gcc libc6-dev; }

# Most tests run in the headless shell of Chromium, or in the complete Chromium where that cannot be installed. Tests of frozen
# pages, benchmarks and `make faults` run in the complete one.
browser:
	@command -v chromium >/dev/null || { $(APT_UPDATE) && $(APT_INSTALL) chromium; }
	@command -v chromium-headless-shell >/dev/null || { $(APT_UPDATE) && $(APT_INSTALL) chromium-headless-shell; } || \
		echo 'The tests will run in the complete Chromium, which takes longer.'

# Tests start their own PostgreSQL server, so the cluster that Debian creates by default is disabled.
CREATE_CLUSTER := /etc/postgresql-common/createcluster.conf
database:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { \
		$(APT_UPDATE) && $(APT_INSTALL) postgresql-common && \
		$(SUDO) sed -ri 's/^#(create_main_cluster) .*$$/\1 = false/' $(CREATE_CLUSTER) && \
		$(APT_INSTALL) postgresql; }

SUDO        := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT_UPDATE  := $(SUDO) apt-get update -qq
APT_INSTALL := $(SUDO) DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends

clean: ## remove build results; data stays
	rm -rf bin web/node_modules web/site/dist/assets web/site/dist/index.html web/console/dist/assets web/console/dist/index.html dist web/packages/dist/packages web/packages/dist/client

.PHONY: help run build web packages release test test-next quick check fmt bench bench-queries bench-site bench-console bench-web faults fuzz abuse wordnet compiler browser database clean
