package server

import (
	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/wire"
)

type forgetful struct {
	Email string `json:"email"`
}

func (s *Server) forgotPassword(q *request) (done, error) {
	var sent forgetful
	if err := wire.Decode(q.body, &sent); err != nil {
		return done{}, err
	}
	a, err := s.accounts()
	if err == nil {
		err = s.guess(q, "forgot", sent.Email)
	}
	if err != nil {
		return done{}, err
	}
	return done{true, "if somebody here has this e-mail, a link is on its way to it"}, a.Forgot(q.Context(), sent.Email)
}

type resetting struct {
	Token    string `json:"token"`
	Password string `json:"password"`
}

func (s *Server) resetPassword(q *request) (done, error) {
	var sent resetting
	if err := wire.Decode(q.body, &sent); err != nil {
		return done{}, err
	}
	a, err := s.accounts()
	if err == nil {
		err = s.redeem(q, "reset")
	}
	if err == nil {
		_, err = a.Reset(q.Context(), sent.Token, sent.Password)
	}
	return done{true, "the password is new; sign in with it"}, err
}

type changing struct {
	Old string `json:"oldPassword"`
	New string `json:"newPassword"`
}

func (s *Server) changePassword(q *request) (done, error) {
	a, who, err := s.person(q)
	if err != nil {
		return done{}, err
	}
	var sent changing
	if err := wire.Decode(q.body, &sent); err != nil {
		return done{}, err
	}
	if err := s.guess(q, "change", who.User.String()); err != nil {
		return done{}, err
	}
	return done{true, "the password is new; every other session has ended"},
		a.ChangePassword(q.Context(), who.User, who.SignedIn, sent.Old, sent.New)
}

type confirming struct {
	Token string `json:"token"`
}

func (s *Server) confirmEmail(q *request) (done, error) {
	var sent confirming
	if err := wire.Decode(q.body, &sent); err != nil {
		return done{}, err
	}
	a, err := s.accounts()
	if err == nil {
		err = s.redeem(q, "confirm")
	}
	if err == nil {
		_, err = a.Confirm(q.Context(), sent.Token)
	}
	return done{true, "the e-mail is confirmed"}, err
}

func (s *Server) resendConfirmation(q *request) (done, error) {
	a, who, err := s.person(q)
	if err == nil {
		err = s.guess(q, "resend", who.User.String())
	}
	if err != nil {
		return done{}, err
	}
	return done{true, "a link is on its way"}, a.AskToConfirm(q.Context(), who.User)
}

type settingUp struct {
	Token    string `json:"token"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (s *Server) setUp(q *request) (signedUp, error) {
	var sent settingUp
	if err := wire.Decode(q.body, &sent); err != nil {
		return signedUp{}, err
	}
	a, err := s.accounts()
	if err == nil {
		err = s.redeem(q, "set up")
	}
	if err != nil {
		return signedUp{}, err
	}
	u, err := a.SetUp(q.Context(), sent.Token, account.Person{Email: sent.Email, Password: sent.Password})
	return signedUp{true, "you are the admin; sign in", u.ID, u.Records.User}, err
}
