package server_test

import (
	"strings"
)

// queryReadTests are queries that filter, count and group. Records that the caller may not see must neither match
// nor change the results.
func queryReadTests() []readTest {
	query := func(members string) readTest {
		return readTest{method: "POST", path: queryPath, body: `{"inpage":10,"page":1,"outputFormat":6,"explain":true,` + members + `}`}
	}
	filtered := func(hop, filter, logic string) readTest {
		return query(`"type":"the_note","freeschemaQueries":[{"name":"n",` + hop + `}],"filters":[{"name":"f",` + filter + `}],"filterLogic":"` + logic + `"`)
	}
	// records lists, for each caller, the exact records that the caller finds.
	records := func(guests, others, owners, admins, noteKeys string) map[string][]string {
		return map[string][]string{
			guest: strings.Fields(guests), otherUser: strings.Fields(others), owner: strings.Fields(owners),
			readKey: strings.Fields(owners), admin: strings.Fields(admins), noteKey: strings.Fields(noteKeys),
		}
	}
	expect := func(r readTest, exactly map[string][]string, contains map[string]string) readTest {
		r.exactly, r.contains = exactly, contains
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
	secretFound, total := records("", "", inOpen, inOpen, ""), perCaller(`"mainCount":%d,`, 0, 0, 2, 2, 0)
	fromBoard := query(`"conceptIds":[{board}],"freeschemaQueries":[{` + notes + `,"depth":3}]`)
	fromBoard.finds = strings.Fields("board open diary board>open board>diary open>board")
	return []readTest{
		expect(filtered(own, like, "f"), secretFound, total),
		expect(filtered(own, equal, "f"), secretFound, total),
		expect(filtered(own, id, "f"), secretFound, total),
		expect(filtered(title, equal, "f"), records("", "", byTitle, byTitle, ""), perCaller(`"mainCount":%d,`, 0, 0, 1, 1, 0)),
		expect(filtered(own, like, "NOT f"), records("open board", "open board bobs", "board", "board bobs vault", "open diary board"),
			perCaller(`"mainCount":%d,`, 2, 3, 1, 3, 3)),
		expect(filtered(own, `"type":"user_id","search":"{ann}"`, "f"), records("open", "open", "open diary", "open diary", "open diary"), nil),
		expect(filtered(notes+`,"reverse":true,"limit":true,"inpage":1`, `"operateon":"n","type":"id","logicoperator":"!=","search":"1"`, "f AND o").with(
			`"filters":[`, `"filters":[{"name":"o","type":"id","search":"{open}"},`),
			records("open board board>open", "open bobs bobs>open", "open board board>open", "open bobs bobs>open", "open board board>open"),
			perCaller(`_%d"]`, 1, 2, 1, 3, 1)),
		expect(query(`"type":"the_note","freeschemaQueries":[{`+notes+`,"aggregate":"group"}]`),
			records("open board", "open board bobs", "open diary board", "open diary board bobs vault", "open diary board"),
			perCaller(`"distinct":%d,`, 1, 1, 3, 3, 3)),
		expect(query(`"conceptIds":[{open}],"freeschemaQueries":[{`+notes+`,"reverse":true,"aggregate":"count"}]`),
			records("open", "open", "open", "open", "open"), perCaller(`_%d"]`, 1, 2, 1, 3, 1)),
		fromBoard,
	}
}

// with returns the test with the first occurrence of old in its body replaced.
func (r readTest) with(old, new string) readTest {
	r.body = strings.Replace(r.body, old, new, 1)
	return r
}
