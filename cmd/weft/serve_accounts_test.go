package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/mail"
	"github.com/weft-graph/weft/store/memory"
)

func TestALinkForANewPasswordIsMailed(t *testing.T) {
	store, log := memory.New(), slog.New(slog.DiscardHandler)
	queue := mail.NewQueue(kv.In(store), 1, log)
	flags := accountFlags{TokenLife: time.Minute, Attempts: 1, PublicURL: "https://weft.test/"}
	a, err := flags.accounts(t.Context(), store, mailer(queue), "http://127.0.0.1:8080", log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Add(t.Context(), account.Person{Email: "ann@example.org", Password: "correct horse"}, false); err != nil {
		t.Fatal(err)
	}
	if err := a.Forgot(t.Context(), "ann@example.org"); err != nil {
		t.Fatal(err)
	}
	printed, printer := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		queue.Run(ctx, mail.Print(printer))
	}()
	defer func() {
		stop()
		printed.Close()
		<-ended
	}()
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if _, token, ok := strings.Cut(lines.Text(), "https://weft.test/reset?token="); ok {
			if _, err := a.Reset(t.Context(), token, "battery staple"); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no link was printed")
}
