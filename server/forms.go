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

// formStyle is the look of the site, as far as it goes without its files.
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

var formPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(formStyle) +
	"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

var formPage = template.Must(template.New("form").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title><style>{{.Style}}</style></head>
<body><header><a href="/">Weft</a></header>
<main>
<h1>{{.Title}}</h1>
{{if .Thank}}<p role="status">{{.Thank}}</p>
<p><a href="/">Go to the first page</a></p>
{{else if .Shut}}<p role="alert">{{.Refusal}}</p>
{{else}}<p>{{.Says}}</p>
{{with .Refusal}}<p role="alert">{{.}}</p>
{{end}}<form method="post" action="{{.Path}}">
<input type="hidden" name="token" value="{{.Token}}">
{{if .Email}}<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="{{.Given}}">
{{end}}{{if .Password}}<label for="password">Password <small>At least 6 characters; 8 or more are better.</small></label>
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
