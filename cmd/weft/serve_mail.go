package main

import (
	"context"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"os"
	"strings"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/mail"
)

// mailFlags say how mail leaves the house.
type mailFlags struct {
	Mail             string   `env:"WEFT_MAIL" placeholder:"URL" help:"How mail is sent: smtp://user@host:587 (TLS is a must; ?tls=none does without), smtps://user@host, or print, which writes it to standard output. The password is in WEFT_MAIL_PASSWORD or in --mail-password-file. Left out, no mail is sent."`
	MailFrom         string   `env:"WEFT_MAIL_FROM" placeholder:"ADDRESS" help:"Who mails are from, as in \"Weft <weft@example.org>\"."`
	MailPasswordFile string   `env:"WEFT_MAIL_PASSWORD_FILE" type:"existingfile" placeholder:"FILE" help:"File that holds the password of the mail server."`
	MailUnconfirmed  bool     `env:"WEFT_MAIL_UNCONFIRMED" help:"Let users send whose own e-mail is not confirmed. With --mail print they may."`
	ContactTo        []string `env:"WEFT_CONTACT_TO" placeholder:"ADDRESS" help:"Who is mailed what visitors write on the contact page. Left out, it is only stored: weft query lists messages of the type the_contact_message."`
	MailRate         int      `default:"100" env:"WEFT_MAIL_RATE" help:"Mails that a user may send in an hour."`
}

const printMail = "print"

// contacts are the addresses for what visitors write.
func (f mailFlags) contacts() ([]string, error) {
	if len(f.ContactTo) > 0 && f.Mail == "" {
		return nil, misusef("--contact-to needs --mail, which says how mail is sent")
	}
	for _, address := range f.ContactTo {
		if _, err := mail.Address(address); err != nil {
			return nil, misusef("--contact-to: %w", err)
		}
	}
	if len(f.ContactTo) > mail.MaxRecipients {
		return nil, misusef("--contact-to names %d addresses; the most is %d", len(f.ContactTo), mail.MaxRecipients)
	}
	return f.ContactTo, nil
}

// startMail delivers the mails of a store until stop is called. There is no queue when no mail is sent.
func (f mailFlags) startMail(ctx context.Context, store graph.Store, log *slog.Logger) (_ *mail.Queue, stop func(), err error) {
	if f.Mail == "" {
		return nil, func() {}, nil
	}
	sender, err := f.sender()
	if err != nil {
		return nil, nil, misusef("--mail: %w", err)
	}
	queue := mail.NewQueue(kv.In(store), f.MailRate, log)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		queue.Run(ctx, sender)
	}()
	return queue, func() {
		cancel()
		<-ended
	}, nil
}

func (f mailFlags) sender() (mail.Sender, error) {
	if f.Mail == printMail {
		return f.printer()
	}
	password := os.Getenv("WEFT_MAIL_PASSWORD")
	if f.MailPasswordFile != "" {
		content, err := os.ReadFile(f.MailPasswordFile)
		if err != nil {
			return nil, err
		}
		password = strings.TrimRight(string(content), "\r\n")
	}
	return mail.DialSMTP(f.Mail, password, f.MailFrom)
}

// printer needs no sender, but a bad one would be refused by a mail server.
func (f mailFlags) printer() (mail.Sender, error) {
	if _, err := netmail.ParseAddress(f.MailFrom); f.MailFrom != "" && err != nil {
		return nil, fmt.Errorf("%q is no address to send from", f.MailFrom)
	}
	return mail.Print(os.Stdout), nil
}

// mailer returns what accounts send mails with: nothing, when no mail is sent.
func mailer(queue *mail.Queue) account.Mailer {
	if queue == nil {
		return nil
	}
	return accountMails{queue}
}

type accountMails struct{ *mail.Queue }

// Send implements account.Mailer.
func (m accountMails) Send(ctx context.Context, letter account.Mail) error {
	_, err := m.Queue.Send(ctx, mail.Message{About: letter.User, To: []string{letter.To}, Subject: letter.Subject, Text: letter.Text})
	return err
}
