package server

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/wire"
)

// clientLogAPI stores and lists client logs (package clientlog): entries that browsers send with @weft/client/logger.
type clientLogAPI struct{ logs *clientLogs }

func (a *clientLogAPI) routes() []route {
	return []route{
		{"POST", "/api/logger", maxLogBody, jsonEndpoint(a.add), "Store log entries of a client", jsonBody[logEntries]()},
		{"GET", "/api/check", noBody, jsonEndpoint(a.check), "Whether this server stores logs", requestShape{}},
		{"GET", "/api/logs", noBody, jsonEndpoint(a.search), "Log entries, newest first: an admin sees those of all users, a user their own", fields(
			"type text?", "level text?", "session text?", "user int?", "text text?", "from text?", "to text?", "before text?", "limit int 100")},
		{"GET", "/api/logs/visits", noBody, jsonEndpoint(a.visits), "Visits by page, session and quarter of an hour, for admins; without from, those of the last day", fields("application text?", "from text?", "to text?")},
	}
}

// The limits of reports. A report consists of log entries or visits; a user or a network of guests sends it.
const (
	maxLogBody     = 10 << 20
	logBytesPerSec = 256 << 10
	logBurstBytes  = 16 << 20
	minReportBytes = 1 << 10 // a shorter report is counted as minReportBytes
)

// clientLogs holds the stored client logs and visits, if this server stores any, and the rates at which clients may
// report.
type clientLogs struct {
	store     *clientlog.Log // nil if the server stores none
	addresses clientAddresses
	rates     networkRates
}

func newClientLogs(store *clientlog.Log, addresses clientAddresses) *clientLogs {
	return &clientLogs{
		store: store, addresses: addresses,
		rates: networkRates{perSecond: logBytesPerSec, burst: logBurstBytes},
	}
}

// get returns the stored logs, or an Unavailable error.
func (c *clientLogs) get() (*clientlog.Log, error) {
	if c.store == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server keeps no logs; --log-keep sets how long logs are kept")
	}
	return c.store, nil
}

// countReport counts the bytes of a report against the rate of its user or network. Guests may send reports, too.
func (c *clientLogs) countReport(req *request) error {
	if !c.rates.allow(c.addresses.userOrNetwork(req), max(len(req.body), minReportBytes)) {
		return graph.Errorf(graph.TooMany, "too many log entries in a short time; try again in a minute")
	}
	return nil
}

// logEntries is the body with which clients send log entries.
type logEntries struct {
	LogType string          `json:"logType"` // "app" or "mftsccs"; see logType
	LogData json.RawMessage `json:"logData"` // a list of objects
}

func (a *clientLogAPI) add(req *request) (outcome, error) {
	// After a 404 clients send nothing until /api/check reports that logs are stored.
	if a.logs.store == nil {
		return outcome{}, graph.Errorf(graph.NotFound, "this server keeps no logs")
	}
	if err := a.logs.countReport(req); err != nil {
		return outcome{}, err
	}
	var sent logEntries
	if err := wire.Decode(req.body, &sent); err != nil {
		return outcome{}, err
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(sent.LogData, &entries); err != nil || entries == nil {
		return outcome{}, graph.Errorf(graph.Invalid, "invalid or missing 'logs' data: want logData, a list")
	}
	source := clientlog.Source{User: req.caller.User, Session: req.caller.Session}
	err := a.logs.store.Append(req.Context(), source, logType(sent.LogType), entries)
	return outcome{true, "Log entry added successfully"}, err
}

// logType returns the type of log (clientlog.Types) for its name in the contract. The contract calls the log of the
// client library "mftsccs". The log of applications is "app" in both.
func logType(name string) string {
	if name == "mftsccs" {
		return clientlog.Client
	}
	return name
}

func (a *clientLogAPI) check(*request) (outcome, error) {
	_, err := a.logs.get()
	return outcome{true, "logs are kept"}, err
}

func (a *clientLogAPI) search(req *request) (clientlog.Page, error) {
	logs, err := a.logs.get()
	if err != nil {
		return clientlog.Page{}, err
	}
	wanted, err := readLogQuery(req)
	if err != nil {
		return clientlog.Page{}, err
	}
	return logs.Search(req.Context(), wanted)
}

func readLogQuery(req *request) (clientlog.Query, error) {
	fields, err := req.fields("type", "level", "session", "user", "text", "from", "to", "before", "limit")
	if err != nil {
		return clientlog.Query{}, err
	}
	wanted := clientlog.Query{
		Type: logType(fields["type"]), Level: fields["level"], Session: fields["session"], Text: fields["text"], Before: fields["before"],
	}
	if wanted.User, err = req.logOwner(fields); err != nil {
		return wanted, err
	}
	if wanted.Limit, err = fields.Int("limit", 100); err != nil {
		return wanted, err
	}
	if wanted.From, err = timeField(fields, "from", time.Time{}); err != nil {
		return wanted, err
	}
	wanted.To, err = timeField(fields, "to", time.Time{})
	return wanted, err
}

// logOwner returns the user whose logs a request may read. 0 means all users; only an admin may read the logs of
// all users.
func (req *request) logOwner(fields wire.Fields) (graph.ID, error) {
	wanted := graph.ID(0)
	if fields["user"] != "" {
		var err error
		if wanted, err = fields.ID("user"); err != nil {
			return 0, err
		}
	}
	switch own := req.caller.User; {
	case req.caller.Admin:
		return wanted, nil
	case req.isGuest():
		return 0, errSignedOut()
	case wanted != 0 && wanted != own:
		return 0, graph.Errorf(graph.Forbidden, "only admins may see the logs of other users")
	default:
		return own, req.requireKeyForAllTypes()
	}
}

// timeField returns the time in a field: in RFC 3339, as in 2026-01-31T10:00:00Z, or in milliseconds since 1970. It
// returns the default for an empty field.
func timeField(fields wire.Fields, name string, defaultTime time.Time) (time.Time, error) {
	text := fields[name]
	if text == "" {
		return defaultTime, nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms >= 0 && ms < maxMilliseconds {
		return time.UnixMilli(ms).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, graph.Errorf(graph.Invalid, "the field %q is %q; want a time as in 2026-01-31T10:00:00Z", name, graph.Clip(text))
	}
	return t.UTC(), nil
}

// maxMilliseconds is the end of the year 9999.
const maxMilliseconds = 253_402_300_800_000

func (a *clientLogAPI) visits(req *request) (clientlog.Visits, error) {
	logs, err := a.logs.get()
	if err == nil {
		err = req.requireAdmin()
	}
	if err != nil {
		return clientlog.Visits{}, err
	}
	fields, err := req.fields("application", "from", "to")
	if err != nil {
		return clientlog.Visits{}, err
	}
	wanted := clientlog.VisitQuery{Application: fields["application"]}
	if wanted.To, err = timeField(fields, "to", time.Now()); err != nil {
		return clientlog.Visits{}, err
	}
	if wanted.From, err = timeField(fields, "from", wanted.To.Add(-24*time.Hour)); err != nil {
		return clientlog.Visits{}, err
	}
	return logs.Visits(req.Context(), wanted)
}
