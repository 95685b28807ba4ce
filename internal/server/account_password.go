package server

import (
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/wire"
)

type forgotRequest struct {
	Email string `json:"email"`
}

// forgotPassword sends a link for choosing a new password by e-mail. The response does not reveal whether an account
// has the address.
func (a *accountAPI) forgotPassword(req *request) (outcome, error) {
	var sent forgotRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return outcome{}, err
	}
	accounts, err := a.accounts.get()
	if err == nil {
		err = a.attempts.countCall(req, "forgot")
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{true, "if an account has this e-mail address, a link is on its way to it"}, accounts.SendResetLink(req.Context(), sent.Email)
}

type resetRequest struct {
	Token    string `json:"token"`
	Password string `json:"password"`
}

func (a *accountAPI) resetPassword(req *request) (outcome, error) {
	var sent resetRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return outcome{}, err
	}
	accounts, err := a.accounts.get()
	if err == nil {
		_, err = accounts.ResetPassword(req.Context(), sent.Token, sent.Password, a.attempts.client(req))
	}
	return outcome{true, "the password is changed; sign in with it"}, a.attempts.countFailure(req, "reset", err)
}

type changeRequest struct {
	Old string `json:"oldPassword"`
	New string `json:"newPassword"`
}

func (a *accountAPI) changePassword(req *request) (outcome, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil {
		return outcome{}, err
	}
	var sent changeRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return outcome{}, err
	}
	succeed, err := a.attempts.countGuess(req, "change", identity.SessionID)
	if err != nil {
		return outcome{}, err
	}
	if err = accounts.ChangePassword(req.Context(), identity.User, account.PasswordChange{Old: sent.Old, New: sent.New, Session: identity.SessionID}); err == nil {
		succeed()
	}
	return outcome{true, "the password is changed; all other sessions have ended"}, err
}

type confirmRequest struct {
	Token string `json:"token"`
}

func (a *accountAPI) confirmEmail(req *request) (outcome, error) {
	var sent confirmRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return outcome{}, err
	}
	accounts, err := a.accounts.get()
	if err == nil {
		_, err = accounts.ConfirmEmail(req.Context(), sent.Token)
	}
	return outcome{true, "the e-mail is confirmed"}, a.attempts.countFailure(req, "confirm", err)
}

func (a *accountAPI) resendConfirmation(req *request) (outcome, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err == nil {
		err = a.attempts.countUserCall(req, "resend")
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{true, "a link is on its way"}, accounts.ResendConfirmation(req.Context(), identity.User)
}

type setupRequest struct {
	Token    string `json:"token"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (a *accountAPI) setUp(req *request) (createdAccount, error) {
	var sent setupRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return createdAccount{}, err
	}
	accounts, err := a.accounts.get()
	if err != nil {
		return createdAccount{}, err
	}
	u, err := accounts.SetUp(req.Context(), sent.Token, account.Person{Email: sent.Email, Password: sent.Password})
	return createdAccount{true, "you are the admin; sign in", u.ID, u.Records.User}, a.attempts.countFailure(req, "set up", err)
}
