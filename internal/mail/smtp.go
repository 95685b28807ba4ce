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

// SMTP is a Sender that delivers through a mail server.
type SMTP struct {
	from   *netmail.Address
	client *gomail.Client
}

// DialSMTP returns a sender for smtp://[user@]host[:port][?tls=starttls|implicit|none], or smtps://… for tls=implicit.
// The default of tls is implicit on port 465 and starttls on other ports; starttls fails if the server does not offer
// TLS. The URL must not have a password. DialSMTP does not connect yet.
func DialSMTP(address, password, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		return nil, errors.New("the mail server must be smtp://[user@]host[:port], smtps://… or print")
	}
	if _, has := u.User.Password(); has {
		return nil, errors.New("the URL of the mail server has a password; use the environment or a file instead")
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("%q is not a valid sender address", from)
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
	options := []gomail.Option{gomail.WithPort(number), gomail.WithTimeout(sendTimeout / 2)}
	switch mode {
	case "implicit":
		return append(options, gomail.WithSSL()), nil
	case "", "starttls":
		return append(options, gomail.WithTLSPolicy(gomail.TLSMandatory)), nil
	case "none":
		return append(options, gomail.WithTLSPolicy(gomail.NoTLS)), nil
	default:
		return nil, fmt.Errorf("unknown tls=%s; want starttls, implicit or none", mode)
	}
}

// Send implements Sender.
func (s *SMTP) Send(ctx context.Context, l Email) error {
	m, err := compose(l, s.from)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRejected, err)
	}
	connection, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer s.client.CloseWithSMTPClient(connection) //nolint:errcheck // the e-mail was accepted; errors of closing do not matter
	defer context.AfterFunc(ctx, func() { _ = connection.Close() })()
	err = s.client.SendWithSMTPClient(connection, m)
	var smtpError *gomail.SendError
	switch {
	case m.IsDelivered():
		return nil
	case errors.As(err, &smtpError) && smtpError.ErrorCode() >= 500:
		return fmt.Errorf("%w: %w", ErrRejected, err)
	default:
		return err
	}
}
