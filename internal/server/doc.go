// Package server serves a store over HTTP: the wire contract under /api/, account forms, stored pages and the files of
// the built site.
//
// # The path of a request
//
//	middleware.wrap       request id, CORS and security headers, span, preflight, rate of the network;
//	                      afterwards metrics, access log, and recovery from a panic
//	router.mux            chooses the route; responds to unknown paths below /api/ with 404, to wrong methods with 405
//	gzip                  of JSON from minCompressed on; streams are never compressed
//	dispatcher.handle     identifies the caller, reads the body, sets requestTimeout, counts the concurrent requests
//	                      (reads without identity: identityless.go)
//	endpoint.run          a method of an area: decodes a wire message, works on the graph as the caller sees it
//	                      (request.graph), and returns a value, which jsonEndpoint encodes
//
// Paths outside /api/ that belong to no route go from the mux to the handler of Pages.
//
// # Errors
//
// A handler returns an error before it writes the first byte. Its kind selects the status, in the table statusOf:
//
//	invalid       400    malformed request
//	unauthorized  401    the caller is not signed in, or the token is not valid
//	forbidden     403    the caller may not do this
//	notFound      404
//	conflict      409    the state has changed, or a name is taken
//	tooLarge      413    a limit on size; the same request never succeeds
//	tooMany       429    a limit on rate; Retry-After states when to try again
//	unavailable   503    a limit on load, or a part that does not respond; the request may be sent again
//	internal      500    a fault of the server: the log has the details, the response has the request id
//
// For sign-up and sign-in, 406 replaces all of these except 401 and 500; see errorResponder.respond.
//
// # Areas
//
// Each area of the contract is a struct with the dependencies it needs and a method routes. areas.go creates them;
// Server only wires the areas, the dispatcher and the middleware together.
//
//	area          struct         files                                depends on
//	Start         configAPI      config.go                            usage tracker, apiReference
//	              apiReference   apireference.go, openapi/            the routes of all areas
//	Accounts      accountAPI     accounts.go, account_password.go,    accounts, attemptLimits
//	                             account_keys.go
//	(forms)       formAPI        account_forms.go                     accounts, attemptLimits
//	Users         userAPI        users.go                             accounts, attemptLimits
//	People        peopleAPI      people.go                             accounts
//	              auditAPI       audit.go                              package audit
//	Concepts      conceptAPI     concepts.go                          ownedRecords
//	              typeListAPI    typelist.go                          graph.Sizer
//	              uniqueAPI      unique.go                            graph.ValueChecker
//	Connections   connectionAPI  connections.go, between.go           queryRunner, ownedRecords
//	Exploration   exploreAPI     explore.go                           package explore
//	Queries       queryAPI       query.go                             queryRunner
//	              askAPI         ask.go                               the operator's language model, attemptLimits
//	Searches      searchAPI      search.go, legacysearch/             queryRunner
//	Widgets       widgetAPI      widgets.go, widgetloader.go,         Policies, queryRunner, the built site
//	                             frame.go
//	Pages         pageFileAPI    sitemap.go                           the handler of Pages
//	Content       contentAPI     content.go                           package content
//	Sync          syncAPI        sync.go                              -
//	Creation      createAPI      create.go, await.go, texts.go        change feed, key-value store
//	Removal       removeAPI      remove.go                            -
//	Schema        schemaAPI      schema.go                             package schemas
//	              sampleAPI      samples.go                            package sample, key-value store
//	Events        eventAPI       events.go, eventfilter.go            change feed, the gate of streams.go
//	Uploads       uploadAPI      uploads.go                           uploads
//	Mail          mailAPI        mail.go, mail_request.go             mail queue, uploads, accounts
//	              contactAPI     contact.go                           mail queue, attemptLimits
//	Operations    operationAPI   operation.go                         package operation
//	              operationDataAPI  operation_data.go                 mail queue, uploads, usage tracker
//	              backupAPI      backups.go                           package backup
//	Packages      packageAPI     packages.go                          the built packages
//	Console       consoleAPI     console.go                           the built console
//	Documentation documentationAPI documentation.go                   package manual
//	Logs          clientLogAPI   clientlogs.go                        client logs
//	Sessions      visitAPI       visits.go                            client logs
//	Usage         usageAPI       usage.go                             usage tracker
//	Anomalies     anomalyAPI     anomalies.go                         anomaly.Statistics
//	(pages)       pages          pages.go, pagecache.go, sitemap.go,  Policies, page.Shell, the built site
//	                             sitefiles.go, policy.go
//
// Shared by the areas: request.go (fields, ids, rights of the caller), paging.go, lookups.go (concepts with types,
// aliases), owned.go and cursor.go (lists of records by owner), representation.go (responses that are the same for all
// callers), errors.go.
//
// # Limits
//
//	limit on                      constant or option                     refusal
//	bytes of one body             noBody, smallBody, largeBody,          tooLarge
//	                              Options.MaxBody for batches
//	bytes of all long bodies      Limits.Bodies (256 MiB)                unavailable
//	memory of all requests        Limits.Memory (256 MiB)                unavailable; tooLarge for more than half of it
//	rate of a body                minBodyRate after bodyGrace            status 408
//	widget trees being loaded     maxTrees (3; 1 of one owner)           unavailable
//	values in a list               maxListBytes (16 MiB)                  cut, with a cursor
//	records and values of a user   Quotas; guests DefaultGuestRecords     tooLarge
//	                              and DefaultGuestBytes
//	free space of the disk        Disk (256 MiB)                         unavailable for additions
//	concurrent requests           Limits.Requests (1,000; uploads 1/4)   unavailable
//	requests per network          Limits.PerSecond, Burst (off)          tooMany
//	refusals per network          Limits.RefusalBurst (100), then        delayed by up to maxRefusalDelay (1 s)
//	                              maxRefusalRate (20) a second
//	time for one request          requestTimeout (1 min)                 unavailable
//	time and weight of queries    Queries (30 s; weight 10,000)          unavailable
//	concurrent queries and reads  shares.Turns; maxTurnWait (10 s)       unavailable
//	concurrent long work          longwork; one less than processors     waits
//	change streams                Streams (10,000; 100 of one user)      unavailable
//	time to write one event       eventWriteTimeout (10 s)               disconnects
//	attempts, such as sign-ups    Options.Attempts (10 a minute)         tooMany; 406 for sign-in and sign-up
//	checks of unique values       Options.UniqueChecks (60 in            tooMany
//	                              uniqueCheckInterval)
//	wrong passwords               account.Options.Attempts               tooMany as 406; see package account
//	scans of whole tables         maxScans (4; 1 of one user)            unavailable
//	requests that wait for ends   maxWaitingRequests (100, each for 5 s) unavailable
//	client logs                   logBytesPerSec, logBurstBytes          tooMany
//
// A shares.Gate counts requests, uploads, the weight of queries, scans, streams, waiting requests and questions: no
// user, and no network of guests, receives more than three quarters of the total, and less when others also use it.
//
// # Costs
//
//	middleware      no locks but those of the access log and of the traffic; counters are created in advance and allocate nothing
//	body            one read into a pooled buffer; buffers over maxPooledBuffer are not pooled
//	JSON response   one pooled buffer; types with AppendJSON avoid reflection
//	concepts by id  one read for the records and one for their types; two more only when an id is missing
//	query           see package query; single concepts come from the concept cache
//	page            from pageCache: one read of the change number; a touched page is loaded level by level
//	widget by ids   one query for each level of nesting
//	list by owner   reads the whole table, scanChunk rows at a time
package server
