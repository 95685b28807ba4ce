package main

import (
	"bufio"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/host"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestPasswordResetLinksAreMailed(t *testing.T) {
	reader, writer := io.Pipe()
	accounts, err := accountFlags{TokenLife: time.Minute, Attempts: 1, PublicURL: "https://weft.test/"}.settings("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.Start(t.Context(), memory.New(), host.Settings{
		Options: server.Options{Log: slog.New(slog.DiscardHandler)}, Accounts: accounts, Mail: mail.Print(writer), MailRate: 1,
		Uploads: host.UploadSettings{Directory: t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	defer reader.Close()
	if _, err := h.Accounts.Add(t.Context(), account.Person{Email: "ann@example.org", Password: "correct horse"}, false); err != nil {
		t.Fatal(err)
	}
	if err := h.Accounts.SendResetLink(t.Context(), "ann@example.org"); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(reader); lines.Scan(); {
		if _, token, ok := strings.Cut(lines.Text(), "https://weft.test/reset?token="); ok {
			if _, err := h.Accounts.ResetPassword(t.Context(), token, "battery staple", account.Client{}); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no link was printed")
}
