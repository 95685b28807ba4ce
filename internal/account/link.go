package account

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A link grants the holder of its token a right that can be used once: to confirm an e-mail, to set a new password, or
// to become the first admin.
type link struct {
	For   purpose   `json:"for"`
	User  graph.ID  `json:"user,omitempty"`
	Until time.Time `json:"until"`
	// Replaces is a hash of the stored password hash that the link may replace. After the password has changed, no
	// earlier link works. Of several reset links, only one can therefore be used.
	Replaces []byte `json:"replaces,omitempty"`
}

type purpose string

const (
	purposeConfirm purpose = "confirm"
	purposeReset   purpose = "reset"
	purposeSetup   purpose = "setup"
)

// Lifetimes of links.
const (
	confirmLife = 7 * 24 * time.Hour
	resetLife   = time.Hour
	setupLife   = 24 * time.Hour
)

const linkPrefix = "account/link/" // followed by the hash of the token

func linkKey(token string) string { return linkPrefix + hex.EncodeToString(digest(token)) }

// createLink creates a link and returns its token, which is not stored.
func (a *Accounts) createLink(ctx context.Context, l link, life time.Duration) (string, error) {
	token := encodeToken(randomBytes(32))
	l.Until = a.now().Add(life)
	return token, a.kv.Commit(ctx, put(linkKey(token), l).Until(l.Until).If(kv.Absent))
}

// readLink returns a link with the given purpose and the operation that uses it up. Only one commit with that operation
// succeeds. It returns an Invalid error if the link is unknown, was used, or has expired.
func (a *Accounts) readLink(ctx context.Context, token string, want purpose) (link, kv.Op, error) {
	l, version, err := read[link](ctx, a.kv, linkKey(token))
	if err == nil && (version == 0 || l.For != want || !a.now().Before(l.Until)) {
		err = linkExpiredError()
	}
	return l, kv.Delete(linkKey(token)).If(version), err
}

func linkExpiredError() error {
	return graph.Errorf(graph.Invalid, "this link has expired or was used; request a new one")
}

// ConfirmEmail confirms the e-mail address to which the link was sent. It returns an Invalid error if
// the link was used or has expired.
func (a *Accounts) ConfirmEmail(ctx context.Context, token string) (User, error) {
	l, _, err := a.readLink(ctx, token, purposeConfirm)
	if err != nil {
		return User{}, err
	}
	return a.updateAccount(ctx, l.User, func(u *account) ([]kv.Op, error) {
		_, used, err := a.readLink(ctx, token, purposeConfirm)
		u.confirm(a.now())
		return []kv.Op{used}, err
	})
}

func (u *account) confirm(now time.Time) {
	if u.Confirmed.IsZero() {
		u.Confirmed = now
	}
}

// ResendConfirmation sends a new confirmation link to a user. It returns a Conflict error if the e-mail is confirmed,
// and an Unavailable error if the server sends no e-mail.
func (a *Accounts) ResendConfirmation(ctx context.Context, user graph.ID) error {
	u, err := a.User(ctx, user)
	switch {
	case err != nil:
		return err
	case !u.Confirmed.IsZero():
		return graph.Errorf(graph.Conflict, "the e-mail %q is already confirmed", u.Email)
	case a.options.Mailer == nil:
		return noMailError()
	}
	return a.sendConfirmation(ctx, u)
}

func noMailError() error {
	return graph.Errorf(graph.Unavailable, "this server sends no mail; ask its operator")
}

func (a *Accounts) sendConfirmation(ctx context.Context, u User) error {
	if a.options.Mailer == nil {
		return nil
	}
	token, err := a.createLink(ctx, link{For: purposeConfirm, User: u.ID}, confirmLife)
	if err != nil {
		return err
	}
	return a.options.Mailer.Send(ctx, Mail{User: u.ID, To: u.Email, Subject: "Confirm your e-mail address", Text: fmt.Sprintf(
		"Someone, probably you, created an account with this e-mail address.\n\n"+
			"Follow this link within seven days to confirm that it is yours:\n\n%s\n\n"+
			"If it was not you, ignore this e-mail.\n", a.address("/confirm", token))})
}

// minResetLinkDuration is the minimum duration of SendResetLink. Creating a link and queueing
// the e-mail usually takes less.
const minResetLinkDuration = 100 * time.Millisecond

// SendResetLink sends a link for setting a new password, if there is an account with the e-mail. Neither the result nor
// the duration reveals whether there is an account. At most Options.Attempts messages an hour are sent to an address.
// Further calls send nothing and also return nil, because the user has links that still work. It returns an Invalid
// error for a malformed e-mail, and an Unavailable error if the server sends no e-mail.
func (a *Accounts) SendResetLink(ctx context.Context, email string) error {
	minimum := time.After(minResetLinkDuration)
	err := a.sendResetLink(ctx, email)
	select {
	case <-minimum:
	case <-ctx.Done():
	}
	return err
}

func (a *Accounts) sendResetLink(ctx context.Context, email string) error {
	if a.options.Mailer == nil {
		return noMailError()
	}
	if err := checkEmail(email); err != nil {
		return err
	}
	_, err := a.guesses.count(ctx, emailHash(email), guessReset, a.now())
	if graph.KindOf(err) == graph.TooMany {
		return nil
	}
	if err != nil {
		return err
	}
	u, err := a.byEmail(ctx, email)
	if err != nil || u.ID == 0 || u.Disabled {
		return err
	}
	token, err := a.createLink(ctx, link{For: purposeReset, User: u.ID, Replaces: digest(u.Password)}, resetLife)
	if err != nil {
		return err
	}
	return a.options.Mailer.Send(ctx, Mail{User: u.ID, To: u.Email, Subject: "Choose a new password", Text: fmt.Sprintf(
		"Someone, probably you, asked for a new password for the account with this e-mail address.\n\n"+
			"Follow this link within an hour to choose a new one:\n\n%s\n\n"+
			"If it was not you, ignore this e-mail: the password does not change.\n", a.address("/reset", token))})
}

// ResetPassword sets a new password with the link of SendResetLink, ends all sessions, confirms the e-mail, and makes
// the network of the client known to the account, so that the user can sign in from this network even while another
// client guesses passwords. The error is Invalid for a password that is too short or too long, and for a link that
// was used or has expired.
func (a *Accounts) ResetPassword(ctx context.Context, token, password string, from Client) (User, error) {
	l, _, err := a.readLink(ctx, token, purposeReset)
	if err != nil {
		return User{}, err
	}
	hash, err := a.newPassword(ctx, password)
	if err != nil {
		return User{}, err
	}
	return a.updateAndRevoke(ctx, l.User, func(u *account) ([]kv.Op, error) {
		l, used, err := a.readLink(ctx, token, purposeReset)
		if err == nil && !bytes.Equal(l.Replaces, digest(u.Password)) {
			err = linkExpiredError()
		}
		if err != nil {
			return nil, err
		}
		u.Password = hash
		u.confirm(a.now())
		networkOps, err := a.networkOps(ctx, *u, from)
		if err != nil {
			return nil, err
		}
		ops, err := a.endSessions(ctx, u.ID, "")
		return append(append(ops, networkOps...), used), err
	})
}

func (a *Accounts) newPassword(ctx context.Context, password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	return a.passwords.hash(ctx, password)
}

// address returns the URL of a link.
func (a *Accounts) address(path, token string) string {
	return a.options.URL + path + "?token=" + url.QueryEscape(token)
}
