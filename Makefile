# `make` prints the targets.

LISTEN ?= 127.0.0.1:8080
DATA   ?= weft-data
LINT   := go tool -modfile=tools/go.mod golangci-lint
NPM    := npm --prefix web

.DEFAULT_GOAL := help

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build everything and serve it, with writing open to everybody, at http://127.0.0.1:8080
	bin/weft serve --listen $(LISTEN) --data $(DATA) --anonymous-writes --mail print --sample-words

build: web ## build the site and the binary: bin/weft
	go build -o bin/weft ./cmd/weft

web: web/site/dist/index.html ## build the site that the binary carries

SITE := $(shell find web/client/src web/react/src web/site -type f -not -path '*/dist/*' -not -path '*/node_modules/*' 2>/dev/null)
web/site/dist/index.html: web/node_modules/.installed $(SITE)
	$(NPM) run --silent build

web/node_modules/.installed: web/package-lock.json
	$(NPM) ci --no-audit --no-fund
	@touch $@

# SQLite is C written as Go, not ours to look for races in, and takes three times as long when they are looked for.
RACE := -race -gcflags='modernc.org/...=-race=false'

test: check build compiler browser database ## check everything, then run every test: Go, TypeScript, the whole program in Chromium
	go test $(RACE) -timeout 30m ./...
	$(NPM) test

check: web ## format, lint, types, layers, unused code, size; changes nothing
	$(LINT) run
	go test . ./graph
	cd web && npx biome check . && npx tsc && npx knip && npx vitest run layers.test.ts size.test.ts

fmt: web/node_modules/.installed ## format everything
	$(LINT) fmt
	cd web && npx biome check --write .

COUNT    ?= 5
CONCEPTS ?= 1000000
bench: build database ## measure everything into bench/RESULTS.md; with WordNet installed, import it too
	{ cat bench/about.md; \
	  go test -run '^$$' -bench . -benchtime 300ms -count $(COUNT) ./... | go run ./bench && \
	  printf '\n## The browser library, beside plain Maps\n\n```text\n' && $(NPM) run --silent bench && echo '```' && \
	  printf '\n## The server, beside others\n\n' && go -C bench/versus run . -weft ../../bin/weft -concepts $(CONCEPTS); } > bench/RESULTS.new
	mv bench/RESULTS.new bench/RESULTS.md
	$(MAKE) bench-queries
	cat bench/RESULTS.md

# SHOP is a directory that keeps the data between runs.
SHOP  ?=
SCALE ?= 1
bench-queries: build database ## measure queries beside statements by hand and SurrealDB, into their part of bench/RESULTS.md
	go -C bench/versus run ./queries -weft ../../bin/weft -data '$(abspath $(SHOP))' -scale $(SCALE) -surreal -into ../RESULTS.md

bench-site: build browser ## measure the public site, and widgets beside plain React, into its part of web/bench/RESULTS.md
	{ printf 'Measured with Chromium %s on %s processors: %s.\n\n' "$$(chromium --version | grep -o '[0-9][0-9]*' | head -1)" "$$(nproc)" \
	    "$$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" && \
	  $(NPM) run --silent bench:site && echo && $(NPM) run --silent bench:widgets; } > web/bench/RESULTS.new
	node web/bench/part.mjs 'The public site' < web/bench/RESULTS.new
	rm web/bench/RESULTS.new
	cat web/bench/RESULTS.md

bench-web: build browser ## measure the client beside other libraries, in Node and in Chromium, into its part of web/bench/RESULTS.md
	node web/run.mjs web/client/bench/beside.ts
	cat web/bench/RESULTS.md

SEEDS ?= 1000
faults: build browser ## let users write while everything fails, by seeds, and judge whether anything is lost or doubled
	node web/client/faults/run.mjs --seeds $(SEEDS)
	node web/client/faults/run.mjs --chromium --seeds $$(( ($(SEEDS) + 19) / 20 ))

wordnet: build ## install WordNet 3.0 from Debian and import all of it
	@test -f /usr/share/wordnet/data.noun || { $(APT_UPDATE) && $(APT_INSTALL) wordnet-base; }
	bin/weft import wordnet /usr/share/wordnet --data $(DATA)

# Looking for races takes a C compiler.
compiler:
	@command -v $$(go env CC) >/dev/null || { $(APT_UPDATE) && $(APT_INSTALL) gcc libc6-dev; }

# Tests draw in a real browser.
browser:
	@command -v chromium >/dev/null || { $(APT_UPDATE) && $(APT_INSTALL) chromium; }

# They start a PostgreSQL of their own, so the one that Debian would start is left out.
CREATE_CLUSTER := /etc/postgresql-common/createcluster.conf
database:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { \
		$(APT_UPDATE) && $(APT_INSTALL) postgresql-common && \
		$(SUDO) sed -ri 's/^#(create_main_cluster) .*$$/\1 = false/' $(CREATE_CLUSTER) && \
		$(APT_INSTALL) postgresql; }

SUDO        := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT_UPDATE  := $(SUDO) apt-get update -qq
APT_INSTALL := $(SUDO) DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends

clean: ## remove what was built; data stays
	rm -rf bin web/node_modules web/site/dist/assets web/site/dist/index.html

.PHONY: help run build web test check fmt bench bench-queries bench-site bench-web faults wordnet compiler browser database clean
