package server

import (
	"bytes"
	"html/template"
	"net/http"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/wire"
)

// A formPage is a page for a link that the server printed or sent by e-mail. It works without scripts. Opening the link
// changes nothing, because mail scanners follow links; only the button changes something.
type formPage struct {
	Path, Title, Intro, Button string
	Email, Password            bool // whether the form has these fields
	OpensConsole               bool // after success the browser is signed in and opens the console
	SignIn                     bool // whether the page links to the sign-in
	submit                     func(*request, wire.Fields) (thanks string, err error)
	check                      func(*request) error // returns an error if submitting the form cannot succeed; may be nil
}

// formAPI serves the pages of account links: first admin, new password, confirmed e-mail address.
type formAPI struct {
	accounts  *account.Accounts // nil when the server has no accounts and therefore no forms
	attempts  *attemptLimits
	publicURL string
}

// routes returns the routes of the forms. They are not part of the API reference.
func (a *formAPI) routes() []route {
	if a.accounts == nil {
		return nil
	}
	var all []route
	for _, f := range a.forms() {
		all = append(all,
			route{"GET", f.Path, noBody, rawEndpoint(htmlType, a.show(f)), f.Title, fields("token text")},
			route{"POST", f.Path, smallBody, rawEndpoint(htmlType, a.submit(f)), f.Title, fields("token text", "email text?", "password text?")})
	}
	return all
}

func (a *formAPI) forms() []formPage {
	return []formPage{
		{
			Path: "/setup", Title: "Set up this server", Intro: "Create the account of the first admin.", Button: "Create the account",
			Email: true, Password: true, OpensConsole: true, submit: a.setUp, check: a.requireNoAdmin,
		},
		{
			Path: "/reset", Title: "Choose a new password", Intro: "It replaces the old one, and you will be signed out everywhere.", Button: "Set the password",
			Password: true, SignIn: true, submit: a.resetPassword,
		},
		{
			Path: "/confirm", Title: "Confirm your e-mail address", Intro: "Press the button to confirm that this address is yours.", Button: "Confirm",
			SignIn: true, submit: a.confirmEmail,
		},
	}
}

func (a *formAPI) setUp(req *request, sent wire.Fields) (string, error) {
	_, err := a.accounts.SetUp(req.Context(), sent["token"], account.Person{Email: sent["email"], Password: sent["password"]})
	return "", err
}

func (a *formAPI) requireNoAdmin(req *request) error {
	hasAdmin, err := a.accounts.HasAdmin(req.Context())
	if err == nil && hasAdmin {
		err = graph.Errorf(graph.Conflict, "there is already an admin")
	}
	return err
}

func (a *formAPI) resetPassword(req *request, sent wire.Fields) (string, error) {
	_, err := a.accounts.ResetPassword(req.Context(), sent["token"], sent["password"], a.attempts.client(req))
	return "Your new password is set. You can sign in with it now.", err
}

func (a *formAPI) confirmEmail(req *request, sent wire.Fields) (string, error) {
	_, err := a.accounts.ConfirmEmail(req.Context(), sent["token"])
	return "Thank you, the address is confirmed.", err
}

// formView is the data of a form's template.
type formView struct {
	formPage
	Style   template.CSS
	Token   string
	Given   string // the e-mail address that was sent
	Refusal string
	Thanks  string
	Closed  bool // the page has no fields
}

func (a *formAPI) show(f formPage) handler {
	return func(w http.ResponseWriter, req *request) error {
		view := formView{formPage: f, Token: req.URL.Query().Get("token")}
		err := f.checkUsable(req, view.Token)
		switch kind := graph.KindOf(err); kind {
		case "":
			return writeForm(w, http.StatusOK, view)
		case graph.Invalid, graph.Conflict:
			view.Closed, view.Refusal = true, messageOf(err)
			return writeForm(w, statusOf[kind], view)
		default:
			return err
		}
	}
}

// checkUsable returns an error if the form cannot succeed.
func (f formPage) checkUsable(req *request, token string) error {
	if f.check != nil {
		if err := f.check(req); err != nil {
			return err
		}
	}
	if token == "" {
		return graph.Errorf(graph.Invalid, "the token is missing at the end of this address; open the whole link")
	}
	return nil
}

func (a *formAPI) submit(f formPage) handler {
	return func(w http.ResponseWriter, req *request) error {
		sent, err := wire.ReadFields(req.Header.Get("Content-Type"), req.body, "token", "email", "password")
		if err != nil {
			return err
		}
		view := formView{formPage: f, Token: sent["token"], Given: sent["email"]}
		view.Thanks, err = f.submit(req, sent)
		err = a.attempts.countFailure(req, f.Path, err)
		switch kind := graph.KindOf(err); {
		case kind == "" && f.OpensConsole:
			return a.openConsole(w, req, sent)
		case kind == "":
			return writeForm(w, http.StatusOK, view)
		case kind == graph.Internal:
			return err
		default:
			view.Thanks, view.Refusal = "", messageOf(err)
			return writeForm(w, statusOf[kind], view)
		}
	}
}

const htmlType = "text/html; charset=utf-8"

// writeForm writes the page of a form.
func writeForm(w http.ResponseWriter, status int, view formView) error {
	view.Style = formStyle
	var body bytes.Buffer
	if err := formTemplate.Execute(&body, view); err != nil {
		return err
	}
	return writeTokenPage(w, tokenPage{status, formPolicy, body})
}

// A tokenPage is a page that contains a token.
type tokenPage struct {
	status int
	policy string // content security policy of the form
	body   bytes.Buffer
}

// writeTokenPage writes a page that is not cached, and that does not send its address as a referrer.
func writeTokenPage(w http.ResponseWriter, p tokenPage) error {
	h := w.Header()
	h.Set("Content-Type", htmlType)
	h.Set("Content-Length", strconv.Itoa(p.body.Len()))
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(p.status)
	w.Write(p.body.Bytes()) //nolint:errcheck // the connection is closed, so the error cannot be reported
	return nil
}

// formStyle is the style of the pages; it resembles the site but needs none of its files.
const formStyle = `:root{color-scheme:light dark;--cloth:light-dark(#f5f6f3,#10131f);--ink:light-dark(#161a2b,#eceee9);` +
	`--soft:light-dark(#4d5366,#a9afc2);--madder:light-dark(#b3243f,#ff7d8c);--indigo:light-dark(#2b3a8c,#9db0ff);` +
	`--weld:light-dark(#d99a00,#f4c44e);--verdigris:light-dark(#0e7a6d,#52d0ba)}*{box-sizing:border-box}` +
	`body{margin:0;padding:14px 0 0;background:linear-gradient(var(--madder) 0 3px,transparent 3px 5px,var(--indigo) 5px 8px,` +
	`transparent 8px 10px,var(--weld) 10px 11px,transparent 11px 13px,var(--verdigris) 13px) 0 0/100% 14px no-repeat var(--cloth);` +
	`color:var(--ink);font:1.0625rem/1.6 "Instrument Sans",Arial,system-ui,sans-serif;overflow-wrap:break-word}` +
	`header,main{max-width:28rem;margin:auto;padding:1.25rem}header a{color:inherit;font-size:1.5rem;text-decoration:none}` +
	`main{padding-top:9vh}h1,header{font-family:"Bricolage Grotesque","Arial Narrow",Arial,sans-serif;font-weight:700}` +
	`h1{margin:0 0 1rem;font-size:clamp(2rem,9vw,2.75rem);line-height:1;letter-spacing:-.03em;text-wrap:balance}` +
	`p{margin:0 0 1.5rem;color:var(--soft)}a{color:var(--madder);text-underline-offset:.2em}` +
	`label,input,button{display:block;font:inherit}label,button{font-weight:600}label small{display:block;color:var(--soft);font-size:.9rem;font-weight:400}` +
	`input{width:100%;min-height:2.9rem;margin:.35rem 0 1.25rem;padding:.55rem .8rem;border:1.5px solid var(--soft);border-radius:3px;` +
	`background:light-dark(#fff,#191d2d);color:inherit}` +
	`button{min-height:2.9rem;padding:.55rem 1.3rem;border:1.5px solid var(--ink);border-radius:3px;background:var(--ink);color:var(--cloth);cursor:pointer}` +
	`button:hover{background:var(--madder);border-color:var(--madder)}` +
	`:focus-visible{outline:3px solid light-dark(#2b3a8c,#f4c44e);outline-offset:3px}` +
	`[role=alert],[role=status]{padding-left:.9rem;border-left:5px solid var(--madder);color:inherit}[role=status]{border-color:var(--verdigris)}`

var formPolicy = "default-src 'none'; style-src " + page.HashSource(formStyle) +
	"; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

var formTemplate = template.Must(template.New("form").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title><style>{{.Style}}</style></head>
<body><header><a href="/">Weft</a></header>
<main>
<h1>{{.Title}}</h1>
{{if .Thanks}}<p role="status">{{.Thanks}}</p>
<p>{{if .SignIn}}<a href="/login">Sign in</a> or {{end}}<a href="/">go to the first page</a></p>
{{else if .Closed}}<p role="alert">{{.Refusal}}</p>
<p>{{if .SignIn}}<a href="/login">Sign in</a>, where you can ask for a new link, or {{end}}<a href="/">go to the first page</a></p>
{{else}}<p>{{.Intro}}</p>
{{with .Refusal}}<p role="alert">{{.}}</p>
{{end}}<form method="post" action="{{.Path}}">
<input type="hidden" name="token" value="{{.Token}}">
{{if .Email}}<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="{{.Given}}">
{{end}}{{if .Password}}<label for="password">Password <small>At least 6 characters; 8 or more are better.</small></label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="6" required{{if not .Email}} autofocus{{end}}>
{{end}}<button>{{.Button}}</button>
</form>
{{end}}</main></body>
</html>
`))
