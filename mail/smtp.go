package mail

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// SMTP hands mails to a mail server.
type SMTP struct {
	from   *netmail.Address
	client *gomail.Client
}

// DialSMTP returns the sender at smtp://[user@]host[:port][?tls=starttls|implicit|none], or smtps://… for
// tls=implicit. Left out, tls is implicit on port 465 and starttls, without which nothing is sent, elsewhere. The
// password of the user is never part of the URL. Nothing is dialed yet.
func DialSMTP(address, password, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		return nil, errors.New("the mail server is not smtp://[user@]host[:port], smtps://… or print")
	}
	if _, has := u.User.Password(); has {
		return nil, errors.New("the URL of the mail server holds a password; it belongs into the environment or a file")
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("%q is no address to send from", from)
	}
	options, err := smtpOptions(u)
	if err != nil {
		return nil, err
	}
	if user := u.User.Username(); user != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user), gomail.WithPassword(password))
	}
	client, err := gomail.NewClient(u.Hostname(), options...)
	if err != nil {
		return nil, err
	}
	return &SMTP{from: sender, client: client}, nil
}

func smtpOptions(u *url.URL) ([]gomail.Option, error) {
	port, mode := u.Port(), u.Query().Get("tls")
	if mode == "" && (u.Scheme == "smtps" || port == "465") {
		mode = "implicit"
	}
	if port == "" {
		port = map[string]string{"implicit": "465"}[mode]
	}
	if port == "" {
		port = "587"
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	options := []gomail.Option{gomail.WithPort(number), gomail.WithTimeout(oneMail / 2)}
	switch mode {
	case "implicit":
		return append(options, gomail.WithSSL()), nil
	case "", "starttls":
		return append(options, gomail.WithTLSPolicy(gomail.TLSMandatory)), nil
	case "none":
		return append(options, gomail.WithTLSPolicy(gomail.NoTLS)), nil
	default:
		return nil, fmt.Errorf("tls=%s is not known; say starttls, implicit or none", mode)
	}
}

// Send implements Sender.
func (s *SMTP) Send(ctx context.Context, l Letter) error {
	m, err := compose(l, s.from)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	connection, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDown, err)
	}
	defer s.client.CloseWithSMTPClient(connection) //nolint:errcheck // what was taken is taken
	defer context.AfterFunc(ctx, func() { _ = connection.Close() })()
	err = s.client.SendWithSMTPClient(connection, m)
	var answer *gomail.SendError
	switch {
	case m.IsDelivered():
		return nil
	case errors.As(err, &answer) && answer.ErrorCode() >= 500:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	default:
		return err
	}
}
