package server_test

import (
	"fmt"
	"strings"
)

// queryReadings filter, count and group: by what is hidden nothing is found, and nothing is missed either.
func queryReadings() []reading {
	query := func(members string) reading {
		return reading{method: "POST", path: queryPath, body: `{"inpage":10,"page":1,"outputFormat":6,"explain":true,` + members + `}`}
	}
	filtered := func(hop, filter, logic string) reading {
		return query(`"type":"the_note","freeschemaQueries":[{"name":"n",` + hop + `}],"filters":[{"name":"f",` + filter + `}],"filterLogic":"` + logic + `"`)
	}
	says := func(format string, guest_, stranger_, owner_, admin_, narrow_ int) map[string]string {
		return map[string]string{
			guest: fmt.Sprintf(format, guest_), stranger: fmt.Sprintf(format, stranger_), owner: fmt.Sprintf(format, owner_),
			reader: fmt.Sprintf(format, owner_), admin: fmt.Sprintf(format, admin_), narrow: fmt.Sprintf(format, narrow_),
		}
	}
	only := func(guest_, stranger_, owner_, admin_, narrow_ string) map[string][]string {
		return map[string][]string{
			guest: strings.Fields(guest_), stranger: strings.Fields(stranger_), owner: strings.Fields(owner_),
			reader: strings.Fields(owner_), admin: strings.Fields(admin_), narrow: strings.Fields(narrow_),
		}
	}
	of := func(r reading, only map[string][]string, says map[string]string) reading {
		r.only, r.says = only, says
		return r
	}
	const (
		own     = `"typeConnection":"self"`
		title   = `"typeConnection":"the_note_title"`
		notes   = `"typeConnection":"the_note_s_note"`
		like    = `"operateon":"n","logicoperator":"like","search":"%USH%"`
		equal   = `"operateon":"n","type":"the_title","search":"Hush"`
		id      = `"operateon":"n","type":"id","search":"{secret}"`
		inOpen  = "open diary secret open>secret diary>secret"
		byTitle = "open secret open=secret"
	)
	hushed, total := only("", "", inOpen, inOpen, ""), says(`"mainCount":%d,`, 0, 0, 2, 2, 0)
	fromBoard := query(`"conceptIds":[{board}],"freeschemaQueries":[{` + notes + `,"depth":3}]`)
	fromBoard.about = strings.Fields("board open diary board>open board>diary open>board")
	return []reading{
		of(filtered(own, like, "f"), hushed, total),
		of(filtered(own, equal, "f"), hushed, total),
		of(filtered(own, id, "f"), hushed, total),
		of(filtered(title, equal, "f"), only("", "", byTitle, byTitle, ""), says(`"mainCount":%d,`, 0, 0, 1, 1, 0)),
		of(filtered(own, like, "NOT f"), only("open board", "open board bobs", "board", "board bobs vault", "open diary board"),
			says(`"mainCount":%d,`, 2, 3, 1, 3, 3)),
		of(filtered(own, `"type":"user_id","search":"{ann}"`, "f"), only("open", "open", "open diary", "open diary", "open diary"), nil),
		of(filtered(notes+`,"reverse":true,"limit":true,"inpage":1`, `"operateon":"n","type":"id","logicoperator":"!=","search":"1"`, "f AND o").with(
			`"filters":[`, `"filters":[{"name":"o","type":"id","search":"{open}"},`),
			only("open board board>open", "open bobs bobs>open", "open board board>open", "open bobs bobs>open", "open board board>open"),
			says(`_%d"]`, 1, 2, 1, 3, 1)),
		of(query(`"type":"the_note","freeschemaQueries":[{`+notes+`,"aggregate":"group"}]`),
			only("open board", "open board bobs", "open diary board", "open diary board bobs vault", "open diary board"),
			says(`"distinct":%d,`, 1, 1, 3, 3, 3)),
		of(query(`"conceptIds":[{open}],"freeschemaQueries":[{`+notes+`,"reverse":true,"aggregate":"count"}]`),
			only("open", "open", "open", "open", "open"), says(`_%d"]`, 1, 2, 1, 3, 1)),
		fromBoard,
	}
}

// with is the reading with something else in its body.
func (r reading) with(old, new string) reading {
	r.body = strings.Replace(r.body, old, new, 1)
	return r
}
