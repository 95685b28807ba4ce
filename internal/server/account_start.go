package server

import (
	"bytes"
	"html/template"
	"net/http"
	"time"

	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/wire"
)

// openConsole signs the browser in to the account that a form created, and redirects it to the console. As in the response
// to a sign-in, the tokens are only in the body, not in an address or a cookie, so that another site can neither read nor
// replace them. If the session cannot be started, the console asks for the password.
func (a *formAPI) openConsole(w http.ResponseWriter, req *request, sent wire.Fields) error {
	client := a.attempts.client(req)
	client.RenewsTokens = true
	signed, err := a.accounts.SignIn(req.Context(), sent["email"], sent["password"], client)
	if err != nil {
		http.Redirect(w, req.Request, consolePath, http.StatusSeeOther)
		return nil //nolint:nilerr // the account exists; a manual sign-in shows the reason
	}
	http.SetCookie(w, newDeviceCookie(signed.User.ID, signed.DeviceToken, isHTTPS(req, a.publicURL)))
	view := startView{Style: formStyle, Script: startScript, Session: startedSession{
		Profile: storedProfile{signed.Token, signed.Expires, profileOf(signed.User), timeOrNull(signed.User.Confirmed)}, Refresh: signed.Refresh, Next: consolePath,
	}}
	var body bytes.Buffer
	if err := startTemplate.Execute(&body, view); err != nil {
		return err
	}
	return writeTokenPage(w, tokenPage{http.StatusOK, startPolicy, body})
}

// startView is the data of startTemplate.
type startView struct {
	Style   template.CSS
	Script  template.JS
	Session startedSession
}

// startedSession is what startScript reads.
type startedSession struct {
	Profile storedProfile `json:"profile"`
	Refresh string        `json:"refresh"`
	Next    string        `json:"next"` // path that the browser opens
}

// storedProfile is a profile with an access token, as the browser library stores it.
type storedProfile struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"`
	profile
	Confirmed *time.Time `json:"confirmed,omitempty"` // replaces the member confirmed of profile, which would be null if the address is not confirmed
}

// startScript stores the session under the keys of web/client/src/account/stored-profile.ts. If the browser has no
// local storage, the console asks for the password.
const startScript = `const{profile,refresh,next}=JSON.parse(document.getElementById('session').textContent);` +
	`try{localStorage.setItem('weft-refresh',refresh);localStorage.setItem('profile',JSON.stringify(profile))}catch{}` +
	`location.replace(next)`

var startPolicy = "default-src 'none'; style-src " + page.HashSource(formStyle) + "; script-src " + page.HashSource(startScript) +
	"; frame-ancestors 'none'; base-uri 'none'"

var startTemplate = template.Must(template.New("start").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The account is created</title><style>{{.Style}}</style></head>
<body><header><a href="/">Weft</a></header>
<main>
<h1>The account is created</h1>
<p><a href="{{.Session.Next}}">Open the console</a></p>
</main>
<script type="application/json" id="session">{{.Session}}</script>
<script>{{.Script}}</script></body>
</html>
`))
