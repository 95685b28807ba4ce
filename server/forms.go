package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// A form is a page that a printed or mailed link leads to. It works without scripts, and asks before it does
// anything: programs that look at mails follow links.
type form struct {
	Path, Title, Says, Button string
	Email, Password           bool // what it asks for
	send                      func(*Server, *request, wire.Fields) (string, error)
	closed                    func(*Server, *request) error // why filling it in would be in vain; nil when only its token ends it
}

var forms = []form{
	{
		"/setup", "Set up this server", "Make the account of the first admin.", "Make the account", true, true,
		func(s *Server, q *request, sent wire.Fields) (string, error) {
			_, err := s.options.Accounts.SetUp(q.Context(), sent["token"], account.Person{Email: sent["email"], Password: sent["password"]})
			return "The account is made. Apps and programs can sign in with it now; /api/docs says how.", err
		},
		(*Server).isSetUp,
	},
	{
		"/reset", "Choose a new password", "It takes the place of the old one, and you will be signed out everywhere.", "Set the password", false, true,
		func(s *Server, q *request, sent wire.Fields) (string, error) {
			_, err := s.options.Accounts.Reset(q.Context(), sent["token"], sent["password"])
			return "The password is new. You can sign in with it now.", err
		},
		nil,
	},
	{
		"/confirm", "Confirm your e-mail address", "Press the button to confirm that this address is yours.", "Confirm", false, false,
		func(s *Server, q *request, sent wire.Fields) (string, error) {
			_, err := s.options.Accounts.Confirm(q.Context(), sent["token"])
			return "Thank you, the address is confirmed.", err
		},
		nil,
	},
}

func (s *Server) formRoutes() []route {
	if s.options.Accounts == nil {
		return nil
	}
	var all []route
	for _, f := range forms {
		all = append(all,
			route{"GET", f.Path, none, writes(asHTML, s.show(f)), f.Title, fields("token text")},
			route{"POST", f.Path, few, writes(asHTML, s.submit(f)), f.Title, fields("token text", "email text?", "password text?")})
	}
	return all
}

const asHTML = "text/html; charset=utf-8"

// drawn is a form as it is shown.
type drawn struct {
	form
	Style          template.CSS
	Token          string
	Given          string // the e-mail that was sent
	Refusal, Thank string
	Shut           bool // without its fields
}

func (s *Server) show(f form) handler {
	return func(w http.ResponseWriter, q *request) error {
		page := drawn{form: f, Token: q.URL.Query().Get("token")}
		err := f.shut(s, q, page.Token)
		switch kind := graph.KindOf(err); kind {
		case "":
			return draw(w, http.StatusOK, page)
		case graph.Invalid, graph.Conflict:
			page.Shut, page.Refusal = true, sentence(err)
			return draw(w, status[kind], page)
		default:
			return err
		}
	}
}

// shut says why filling in a form would be in vain.
func (f form) shut(s *Server, q *request, token string) error {
	if f.closed != nil {
		if err := f.closed(s, q); err != nil {
			return err
		}
	}
	if token == "" {
		return graph.Errorf(graph.Invalid, "the token is missing at the end of this address; open the whole link")
	}
	return nil
}

func (s *Server) isSetUp(q *request) error {
	has, err := s.options.Accounts.HasAdmin(q.Context())
	if err == nil && has {
		err = graph.Errorf(graph.Conflict, "there is an admin already")
	}
	return err
}

func (s *Server) submit(f form) handler {
	return func(w http.ResponseWriter, q *request) error {
		sent, err := wire.ReadFields(q.Header.Get("Content-Type"), q.body, "token", "email", "password")
		if err != nil {
			return err
		}
		page := drawn{form: f, Token: sent["token"], Given: sent["email"]}
		if err = s.redeem(q, f.Path); err == nil {
			page.Thank, err = f.send(s, q, sent)
		}
		switch kind := graph.KindOf(err); kind {
		case "":
			return draw(w, http.StatusOK, page)
		case graph.Internal:
			return err
		default:
			page.Thank, page.Refusal = "", sentence(err)
			return draw(w, status[kind], page)
		}
	}
}

// formStyle is all there is to the look of the forms, in the dyes of the site.
const formStyle = `:root{color-scheme:light dark;--cloth:light-dark(#f5f6f3,#10131f);--madder:light-dark(#b3243f,#ff7d8c)}` +
	`body{font:1.0625rem/1.5 system-ui,sans-serif;max-width:24rem;margin:15vh auto;padding:0 1.25rem;` +
	`background:var(--cloth);color:light-dark(#161a2b,#eceee9)}` +
	`body::before{content:"";position:fixed;inset:0 0 auto;height:3px;background:var(--madder)}h1{line-height:1.1;letter-spacing:-.02em}` +
	`label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}` +
	`input,button{margin:.25rem 0 1rem;padding:.6rem .75rem;border:1.5px solid light-dark(#8a90a0,#5b6480);border-radius:3px}` +
	`input{background:light-dark(#fff,#191d2d);color:inherit}a{color:var(--madder)}` +
	`button{background:var(--madder);border-color:transparent;color:var(--cloth);font-weight:600;cursor:pointer}` +
	`[role=alert]{border-left:.25rem solid var(--madder);padding-left:.75rem}`

var formPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(formStyle) +
	"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

var formPage = template.Must(template.New("form").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title><style>{{.Style}}</style></head>
<body><main>
<h1>{{.Title}}</h1>
{{if .Thank}}<p role="status">{{.Thank}}</p>
<p><a href="/">Go on</a></p>
{{else if .Shut}}<p role="alert">{{.Refusal}}</p>
{{else}}<p>{{.Says}}</p>
{{with .Refusal}}<p role="alert">{{.}}</p>
{{end}}<form method="post" action="{{.Path}}">
<input type="hidden" name="token" value="{{.Token}}">
{{if .Email}}<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="{{.Given}}">
{{end}}{{if .Password}}<label for="password">Password, at least 6 characters; 8 or more are better</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="6" required>
{{end}}<button>{{.Button}}</button>
</form>
{{end}}</main></body>
</html>
`))

// draw writes a page that nobody keeps, and whose address is told to nobody: it holds a token.
func draw(w http.ResponseWriter, status int, page drawn) error {
	page.Style = formStyle
	var body bytes.Buffer
	if err := formPage.Execute(&body, page); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", asHTML)
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Content-Security-Policy", formPolicy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	w.Write(body.Bytes()) //nolint:errcheck // the reader has gone; there is nobody to tell
	return nil
}
