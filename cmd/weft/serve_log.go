package main

import (
	"io"
	"log/slog"
)

// logFlags configure the log of the server, which goes to standard error.
type logFlags struct {
	LogLevel  slog.Level `default:"info" env:"WEFT_LOG_LEVEL" placeholder:"LEVEL" help:"Lowest level that is logged: debug, info, warn or error (${default}). At debug, dropped connections are also logged."`
	LogFormat string     `default:"json" enum:"json,text" env:"WEFT_LOG_FORMAT" help:"Format of log lines: json or text (${default})."`
}

// logger returns a logger that writes to w.
func (f logFlags) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: f.LogLevel}
	if f.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
