// Package operation keeps the recent activity of a server for its operators, in memory and of limited size:
//
//	Traffic      requests by minute for a day, and by route since the start   about 250 KB
//	SlowQueries  the last 200 slow queries with their plans                   at most 1 MB
//	Tail         the last 2,000 lines of the server's log, without secrets    at most 10 KB per line, usually below 1 KB
//	Jobs         the last run of each background job
//
// The activity is lost when the process ends. Servers that share a database keep separate activity. Metrics for Prometheus
// are the durable form. All types are safe for concurrent use.
package operation
