package server

import (
	"cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
)

// An effect classifies a route by its actions. Some callers have limited rights: an API key, and the token of a
// removed account. Before the body is read, a route refuses such callers if their rights exclude its effect. The
// handlers and package access check everything else.
type effect string

// The effects of routes.
const (
	readsGraph   effect = "reads the graph"  // stores nothing; a guest sees the public part
	readsData    effect = "reads data"       // reads data of the caller, such as files, mails and logs; stores nothing
	writesGraph  effect = "writes the graph" // creates records and reserves ids, and may remove records
	removesGraph effect = "removes records"
	storesFiles  effect = "stores files"    // stores or removes data outside the graph: uploads and mails
	reports      effect = "reports"         // stores reports of clients: logs, sessions, uses, messages to the operator
	usesAccount  effect = "uses an account" // accounts, sessions and keys: the handlers refuse API keys, except for reading their own rights
	administers  effect = "administers"     // for admins only; refuses API keys, which never have the rights of an admin
)

// routesByEffect lists every route by its effect. For callers with limited rights, a missing route has the effect
// writesGraph. A test fails if a route is missing.
var routesByEffect = map[effect][]string{
	usesAccount: {
		"POST /api/auth/signup", "POST /api/v1/entity/signup", "POST /api/auth/login", "POST /api/auth/refresh", "POST /api/Auth/refresh", "POST /api/auth/logout",
		"GET /api/auth/me", "GET /api/auth/sessions", "DELETE /api/auth/sessions", "POST /api/auth/password/forgot",
		"POST /api/auth/password/reset", "POST /api/auth/password/change", "POST /api/auth/email/confirm", "POST /api/auth/email/resend",
		"POST /api/auth/setup", "GET /api/auth/keys", "POST /api/auth/keys", "DELETE /api/auth/keys",
		"POST /api/deleteuser", "DELETE /api/deleteuser", "GET /api/admin/users", "POST /api/admin/users", "DELETE /api/admin/users",
		"POST /api/admin/users/disable", "POST /api/admin/users/admin",
	},
	administers: {
		"GET /api/v1/samples", "POST /api/v1/samples", "DELETE /api/v1/samples/{name}",
		"POST /api/admin/users/password", "POST /api/admin/users/reset-link", "POST /api/admin/users/token",
		"GET /api/admin/sessions", "DELETE /api/admin/sessions", "GET /api/admin/keys", "POST /api/admin/keys", "DELETE /api/admin/keys",
		"GET /api/admin/audit",
		"GET /api/admin/health", "GET /api/admin/traffic", "GET /api/admin/slow-queries", "GET /api/admin/log", "GET /api/admin/jobs",
		"GET /api/admin/settings", "GET /api/admin/version",
		"GET /api/admin/mail", "POST /api/admin/mail/{id}/retry", "DELETE /api/admin/mail/{id}",
		"GET /api/admin/uploads", "GET /api/admin/uploads/space", "GET /api/admin/usage",
		"GET /api/admin/backups", "POST /api/admin/backups", "GET /api/admin/backups/{name}", "DELETE /api/admin/backups/{name}",
		"POST /api/admin/backups/{name}/verify", "POST /api/admin/backups/{name}/link",
	},
	removesGraph: {"POST /api/delete_concept", "POST /api/delete_connection", "POST /api/delete_connection_bulk"},
	writesGraph: {
		"POST /api/v1/local-concepts", "POST /api/v1/local-concepts-without-auth", "POST /api/v1/local-connections",
		"GET /api/get_reserved_ids", "GET /api/get_reserved_connection_ids", "POST /api/create_the_concept",
		"POST /api/create_the_connection", "POST /api/create_the_connection_new", "POST /api/create_text_data", "POST /api/create-prototype",
		"POST /api/v1/schema", "POST /api/v1/content/widget", "POST /api/v1/content/publish", "POST /api/v1/content/page",
	},
	storesFiles: {
		"POST /api/Image/UploadImage", "POST /api/Image/UploadImageV2", "POST /api/Image/UploadFile", "DELETE /api/uploads/{name}",
		"POST /api/sendmail", "POST /api/sendmail/personal", "POST /api/sendmail/bulk", "POST /api/sendmail/bulk/personal",
	},
	reports: {
		"POST /api/logger", "POST /api/create-session-id-remote", "POST /api/create-remote-session-visit",
		"POST /api/v1/access-tracker/sync-access-tracker", "POST /api/v1/contact",
	},
	readsGraph: {
		"POST /api/v1/config", "GET /api/v1/config", "GET /api/get-preloaded-concepts", "GET /api/health",
		"POST /api/getConcept", "POST /api/get_concept_bulk", "POST /api/get_concept_by_character_value",
		"POST /api/v1/value-taken", "GET /api/v1/schema", "POST /api/v1/schema/preview", "GET /api/v1/schema/found", "GET /api/v1/schema/source",
		"GET /api/v1/types",
		"POST /api/get_concept_by_character_and_type", "POST /api/get_concept_by_character_and_category_direct",
		"POST /api/get_concept_by_character_and_category", "POST /api/get_character_by_character",
		"POST /api/get_type_concept_by_character_bulk", "POST /api/get_all_concepts_by_type",
		"POST /api/make_the_type_concept", // writes a type that does not exist yet, for callers who may write
		"POST /api/get-connection-by-id", "POST /api/get_connection_bulk", "POST /api/get_all_connections_of_composition",
		"POST /api/get_all_connections_of_composition_bulk", "POST /api/get-link-connections", "POST /api/get-link-reverse-connections",
		"POST /api/get-composition-connection-between-two-concepts", "POST /api/get-connection-by-types",
		"POST /api/get-connection-between", "GET /api/get-all-linkers-from-concept",
		"GET /api/get-all-linkers-to-concept", "POST /api/freeschema-query",
		"POST /api/recursivesearch-concept-connection", "POST /api/Connection/search-link-multiple-all-ccs",
		"POST /api/Connection/search-link-multiple-all", "POST /api/search-all-with-linker-ccs",
		"POST /api-search-compositions-internal-clean-ccs", "GET /api-search-compositions-internal-clean-ccs",
		"GET /api/search-composition-internal-authenticated-ccs", "GET /api/search-compositions",
		"POST /api/view-api-internal-data-ccs-id-bulk", "GET /api/get-widget", "GET /api/get-latest-widget", "GET /api/get-recent-widget",
		"GET /api/v1/widgets", "POST /api/v1/widgets/preview", "GET /api/v1/widgets/documentation", "GET /api/v1/widgets/code",
		"GET /api/v1/content", "GET /api/v1/content/widget", "GET /api/v1/content/page", "GET /api/v1/graph/node", "GET /api/v1/graph/neighbors", "POST /api/v1/graph/nodes", "GET /api/v1/graph/path",
		"GET /api/upload/limit", "GET /v1/get-frontend-anomaly-parameters", "GET /api/v1/get-frontend-anomaly-parameters",
	},
	readsData: {
		"GET /api/openapi.json", "GET /api/docs", "POST /api/get_all_concepts_of_user", "POST /api/get_all_connections_of_user",
		"GET /api/v1/ask", "POST /api/v1/ask", "GET /api/v1/widgets/frame",
		"GET /sitemap.xml", "GET /robots.txt", "GET /og/{name...}", "GET /packages/{path...}", "GET /client/{path...}", "GET /console", "GET /console/{path...}", "POST /api/v1/local-concepts-translate", "GET /docs", "GET /docs/{page...}", "GET /docs/search", "GET /llms.txt",
		"POST /api/make-name-from-frontend", "POST /api/create_character_data", // create nothing, despite their names
		"GET /api/v1/events", "GET /api/uploads", "GET /uploads/{name}", "GET /api/mail/{id}",
		"GET /api/mail/failed", "GET /api/check", "GET /api/logs", "GET /api/logs/visits", "GET /api/logs/sessions", "GET /api/logs/pages",
		"GET /api/v1/access-tracker/list-concepts-file", "GET /api/v1/access-tracker/list-connections-file",
	},
}

// effects holds the effects of routes by method and path.
var effects = func() map[string]effect {
	all := map[string]effect{}
	for e, routes := range routesByEffect {
		for _, route := range routes {
			all[route] = e
		}
	}
	return all
}()

// requireRights returns a Forbidden error for a caller with limited rights that exclude the effect of the route.
func (r route) requireRights(caller access.Caller) error {
	scope, does := caller.Scope, cmp.Or(r.endpoint.effect, effects[r.method+" "+r.path])
	if scope == nil {
		return nil
	}
	switch isReport := does == reports || does == storesFiles; {
	case scope.RemoveOnly && does != removesGraph:
		return graph.Errorf(graph.Forbidden, "the account was removed: for a minute its token may remove records, and nothing else")
	case does == administers:
		return graph.Errorf(graph.Forbidden, "an API key may not do this; sign in with a password")
	case !scope.Write && does != readsGraph && does != readsData && does != usesAccount:
		return graph.Errorf(graph.Forbidden, "this key may only read")
	case isReport && scope.Types != nil:
		return graph.Errorf(graph.Forbidden, "this API key is for instances of some types only")
	}
	return nil
}
