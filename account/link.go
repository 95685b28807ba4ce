package account

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A link is a right that whoever holds its token may use once: to confirm an e-mail, to choose a new
// password, or to become the first admin.
type link struct {
	For   purpose   `json:"for"`
	User  graph.ID  `json:"user,omitempty"`
	Until time.Time `json:"until"`
	// Replaces is what is kept of the password that a new one may take the place of, hashed: of several links one
	// is good, and none once the password is another one.
	Replaces []byte `json:"replaces,omitempty"`
}

type purpose string

const (
	confirming purpose = "confirm"
	resetting  purpose = "reset"
	settingUp  purpose = "setup"
)

// How long links are good.
const (
	confirmLife = 7 * 24 * time.Hour
	resetLife   = time.Hour
	setupLife   = 24 * time.Hour
)

const linkPrefix = "account/link/" // and the hash of its token

func linkKey(token string) string { return linkPrefix + hex.EncodeToString(digest(token)) }

// link makes a link and returns its token, which is kept nowhere.
func (a *Accounts) link(ctx context.Context, l link, life time.Duration) (string, error) {
	token := text(random(32))
	l.Until = a.now().Add(life)
	return token, a.kv.Commit(ctx, put(linkKey(token), l).Until(l.Until).If(kv.Absent))
}

// follow returns a link and the operation that uses it up, which only one commit succeeds with.
func (a *Accounts) follow(ctx context.Context, token string, want purpose) (link, kv.Op, error) {
	l, version, err := read[link](ctx, a.kv, linkKey(token))
	if err == nil && (version == 0 || l.For != want || !a.now().Before(l.Until)) {
		err = usedUp()
	}
	return l, kv.Delete(linkKey(token)).If(version), err
}

func usedUp() error {
	return graph.Errorf(graph.Invalid, "this link is not good any more, or was used already; ask for another")
}

// Confirm uses the link that was sent to an e-mail: it is theirs. Invalid for a link that is not good.
func (a *Accounts) Confirm(ctx context.Context, token string) (User, error) {
	l, _, err := a.follow(ctx, token, confirming)
	if err != nil {
		return User{}, err
	}
	return a.change(ctx, l.User, func(u *account) ([]kv.Op, error) {
		_, used, err := a.follow(ctx, token, confirming)
		u.confirm(a.now())
		return []kv.Op{used}, err
	})
}

func (u *account) confirm(now time.Time) {
	if u.Confirmed.IsZero() {
		u.Confirmed = now
	}
}

// AskToConfirm sends a user the link that confirms their e-mail, again.
func (a *Accounts) AskToConfirm(ctx context.Context, user graph.ID) error {
	u, err := a.User(ctx, user)
	switch {
	case err != nil:
		return err
	case !u.Confirmed.IsZero():
		return graph.Errorf(graph.Conflict, "the e-mail %q is confirmed already", u.Email)
	case a.options.Mailer == nil:
		return noMail()
	}
	return a.sendConfirmation(ctx, u)
}

func noMail() error {
	return graph.Errorf(graph.Unavailable, "this server sends no mail; ask whoever runs it")
}

func (a *Accounts) sendConfirmation(ctx context.Context, u User) error {
	if a.options.Mailer == nil {
		return nil
	}
	token, err := a.link(ctx, link{For: confirming, User: u.ID}, confirmLife)
	if err != nil {
		return err
	}
	return a.options.Mailer.Send(ctx, Mail{User: u.ID, To: u.Email, Subject: "Confirm your e-mail address", Text: fmt.Sprintf(
		"Somebody, probably you, made an account with this e-mail address.\n\n"+
			"Follow this link within seven days to confirm that it is yours:\n\n%s\n\n"+
			"If it was not you, do nothing.\n", a.address("/confirm", token))})
}

// forgetting is longer than it takes to make a link and queue a mail.
const forgetting = 100 * time.Millisecond

// Forgot sends a link for choosing a new password to an e-mail, if somebody has it. Neither the answer nor the time
// that it takes tells.
func (a *Accounts) Forgot(ctx context.Context, email string) error {
	took := time.After(forgetting)
	err := a.forgot(ctx, email)
	select {
	case <-took:
	case <-ctx.Done():
	}
	return err
}

func (a *Accounts) forgot(ctx context.Context, email string) error {
	if a.options.Mailer == nil {
		return noMail()
	}
	if err := checkEmail(email); err != nil {
		return err
	}
	u, err := a.byEmail(ctx, email)
	if err != nil || u.ID == 0 || u.Disabled {
		return err
	}
	token, err := a.link(ctx, link{For: resetting, User: u.ID, Replaces: digest(u.Password)}, resetLife)
	if err != nil {
		return err
	}
	return a.options.Mailer.Send(ctx, Mail{User: u.ID, To: u.Email, Subject: "Choose a new password", Text: fmt.Sprintf(
		"Somebody, probably you, forgot the password of the account with this e-mail address.\n\n"+
			"Follow this link within an hour to choose a new one:\n\n%s\n\n"+
			"If it was not you, do nothing: the password stays as it is.\n", a.address("/reset", token))})
}

// Reset uses such a link: it sets the password, ends every session, and confirms the e-mail.
func (a *Accounts) Reset(ctx context.Context, token, password string) (User, error) {
	l, _, err := a.follow(ctx, token, resetting)
	if err != nil {
		return User{}, err
	}
	hash, err := a.newPassword(ctx, password)
	if err != nil {
		return User{}, err
	}
	return a.revoking(ctx, l.User, func(u *account) ([]kv.Op, error) {
		l, used, err := a.follow(ctx, token, resetting)
		if err == nil && !bytes.Equal(l.Replaces, digest(u.Password)) {
			err = usedUp()
		}
		if err != nil {
			return nil, err
		}
		u.Password = hash
		u.confirm(a.now())
		ops, err := a.signOutAll(ctx, u.ID, "")
		return append(ops, used), err
	})
}

func (a *Accounts) newPassword(ctx context.Context, password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	return a.passwords.hash(ctx, password)
}

// address is a link for people to follow.
func (a *Accounts) address(path, token string) string {
	return a.options.URL + path + "?token=" + url.QueryEscape(token)
}
