package main

import (
	"fmt"
	netmail "net/mail"
	"os"
	"strings"

	"github.com/weft-graph/weft/internal/mail"
)

// mailFlags configure how mail is sent.
type mailFlags struct {
	Mail             string   `env:"WEFT_MAIL" placeholder:"URL" help:"How mail is sent: smtp://user@host:587 (requires TLS unless ?tls=none is appended), smtps://user@host, or print, which writes it to standard output. The password is read from WEFT_MAIL_PASSWORD or --mail-password-file. The default is to send no mail."`
	MailFrom         string   `env:"WEFT_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of e-mails, e.g. \"Weft <weft@example.org>\"."`
	MailPasswordFile string   `env:"WEFT_MAIL_PASSWORD_FILE" type:"existingfile" placeholder:"FILE" help:"File with the password for the mail server."`
	MailUnconfirmed  bool     `env:"WEFT_MAIL_UNCONFIRMED" help:"Let users with an unconfirmed e-mail address send mail. This is always allowed with --mail print."`
	ContactTo        []string `env:"WEFT_CONTACT_TO" placeholder:"ADDRESS" help:"Recipients of messages from the contact page. Without any, messages are only stored, as records of the type the_contact_message."`
	MailRate         int      `default:"100" env:"WEFT_MAIL_RATE" help:"Maximum number of e-mails per user and hour."`
}

const printMail = "print"

// contacts checks and returns the recipients of messages from the contact page.
func (f mailFlags) contacts() ([]string, error) {
	if len(f.ContactTo) > 0 && f.Mail == "" {
		return nil, usageErrorf("--contact-to needs --mail")
	}
	for _, address := range f.ContactTo {
		if _, err := mail.Address(address); err != nil {
			return nil, usageErrorf("--contact-to: %w", err)
		}
	}
	if len(f.ContactTo) > mail.MaxRecipients {
		return nil, usageErrorf("--contact-to has %d addresses; the maximum is %d", len(f.ContactTo), mail.MaxRecipients)
	}
	return f.ContactTo, nil
}

// sender returns the sender that --mail selects, or nil if no mail is sent.
func (f mailFlags) sender() (mail.Sender, error) {
	sender, err := f.openSender()
	if err != nil {
		return nil, usageErrorf("--mail: %w", err)
	}
	return sender, nil
}

func (f mailFlags) openSender() (mail.Sender, error) {
	switch f.Mail {
	case "":
		return nil, nil //nolint:nilnil // no mail is sent
	case printMail:
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

// printer returns the sender for --mail print. It does not require a From address, but rejects an address that a mail
// server would reject.
func (f mailFlags) printer() (mail.Sender, error) {
	if _, err := netmail.ParseAddress(f.MailFrom); f.MailFrom != "" && err != nil {
		return nil, fmt.Errorf("%q is not a valid sender address", f.MailFrom)
	}
	return mail.Print(os.Stdout), nil
}
