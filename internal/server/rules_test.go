package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
)

// counterBatch creates a counter with the value 30 under the local ids from -1 on.
const counterBatch = `{"atomic":true,"concepts":[
	{"ghostId":-1,"categoryId":4,"typeCharacter":"the_counter","isComposition":true,"accessId":4},
	{"ghostId":-2,"categoryId":4,"typeCharacter":"the_age","characterValue":"30","accessId":4}],
	"connections":[{"ghostId":-1,"ofTheConceptId":-1,"toTheConceptId":-2,"typeId":-1,"orderId":1,"accessId":4}]}`

// incrementOf returns a request that adds a number to the field the_age of a record, under local ids from n on.
func incrementOf(record int64, n int, by string) string {
	return fmt.Sprintf(`{"atomic":true,"concepts":[{"ghostId":%[2]d,"categoryId":4,"typeCharacter":"the_age","characterValue":"1","accessId":4}],
		"connections":[{"ghostId":%[2]d,"ofTheConceptId":%[1]d,"toTheConceptId":%[2]d,"typeId":%[1]d,"orderId":2,"accessId":4}],
		"increments":[{"concept":%[2]d,"by":%[3]s}]}`, record, n, by)
}

// addField returns a request that adds a value to a record, under the local id n.
func addField(record int64, n int, typeName, text string) string {
	return fmt.Sprintf(`{"atomic":true,"concepts":[{"ghostId":%[2]d,"categoryId":4,"typeCharacter":%[3]q,"characterValue":%[4]q,"accessId":4}],
		"connections":[{"ghostId":%[2]d,"ofTheConceptId":%[1]d,"toTheConceptId":%[2]d,"typeId":%[1]d,"orderId":2,"accessId":4}]}`, record, n, typeName, text)
}

// personOf returns a request that creates or updates the person with the e-mail address mail, under local ids from
// n on.
func personOf(n int, mail, name string) string {
	return fmt.Sprintf(`{"atomic":true,"concepts":[
		{"ghostId":%[1]d,"categoryId":4,"typeCharacter":"the_person","isComposition":true,"accessId":4},
		{"ghostId":%[2]d,"categoryId":4,"typeCharacter":"the_mail","characterValue":%[4]q,"accessId":4},
		{"ghostId":%[3]d,"categoryId":4,"typeCharacter":"the_name","characterValue":%[5]q,"accessId":4}],
		"connections":[
		{"ghostId":%[1]d,"ofTheConceptId":%[1]d,"toTheConceptId":%[2]d,"typeId":%[1]d,"orderId":1,"accessId":4},
		{"ghostId":%[2]d,"ofTheConceptId":%[1]d,"toTheConceptId":%[3]d,"typeId":%[1]d,"orderId":1,"accessId":4}],
		"upserts":[{"concept":%[1]d,"by":"the_mail"}]}`, n, n-1, n-2, mail, name)
}

// readRecord returns the fields of a record as JSON.
func readRecord(t *testing.T, s *servertest.Server, id graph.ID) string {
	t.Helper()
	found, err := composition.Read(t.Context(), s.Store, []graph.ID{id}, composition.Plain)
	if err != nil || len(found) != 1 {
		t.Fatal(len(found), err)
	}
	return found[0].String()
}

func TestIncrements(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	var made synced
	c.postSync(counterBatch, &made)
	counter := int64(made.recordOf(t, -1).ID)

	t.Run("add up if they are sent at the same time", func(t *testing.T) {
		var group sync.WaitGroup
		for n := range 20 {
			group.Go(func() {
				newCaller(t, s).with("Randomizer", fmt.Sprint(n)).postSync(incrementOf(counter, -10, "1"), &synced{})
			})
		}
		group.Wait()
		wantRecord(t, s, counter, `"age":"50"`)
	})
	t.Run("take effect once if they are sent again", func(t *testing.T) {
		var first, again synced
		c.in(t).postSync(incrementOf(counter, -20, "2.5"), &first)
		c.in(t).postSync(incrementOf(counter, -20, "2.5"), &again)
		if a, b := first.recordOf(t, -20), again.recordOf(t, -20); a.CharacterValue != "52.5" || a.ID != b.ID {
			t.Errorf("the values = %+v and %+v; want 52.5 in one concept", a, b)
		}
		wantRecord(t, s, counter, `"age":"52.5"`)
	})
	t.Run("add up within a request, after a new value of the field, and if a part of the request was sent before", func(t *testing.T) {
		two := strings.NewReplacer(`"concepts":[`, `"concepts":[{"ghostId":-31,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","accessId":4},
			{"ghostId":-32,"categoryId":4,"typeCharacter":"the_age","characterValue":"8","accessId":4},`,
			`"connections":[`, fmt.Sprintf(`"connections":[{"ghostId":-31,"ofTheConceptId":%[1]d,"toTheConceptId":-31,"typeId":%[1]d,"orderId":2,"accessId":4},
			{"ghostId":-32,"ofTheConceptId":%[1]d,"toTheConceptId":-32,"typeId":%[1]d,"orderId":2,"accessId":4},`, counter),
			`"increments":[`, `"increments":[{"concept":-32,"by":1},`)
		c.in(t).postSync(two.Replace(incrementOf(counter, -30, "1")), &synced{})
		wantRecord(t, s, counter, `"age":"9"`)
		c.in(t).postSync(two.Replace(incrementOf(counter, -30, "1")), &synced{})
		wantRecord(t, s, counter, `"age":"9"`)
	})
	t.Run("start at zero after a removal of the value in the same request", func(t *testing.T) {
		for i, test := range []struct{ sum, want string }{{"2", "2"}, {"9", "9"}} {
			c := c.in(t).with("Randomizer", fmt.Sprint(100+i))
			c.postSync(strings.Replace(counterBatch, "the_age", "the_name", 1), &made)
			id := int64(made.recordOf(t, -1).ID)
			c.postSync(strings.NewReplacer(
				`"atomic":true,`, `"atomic":true,"removeConnections":[-60],`, `"characterValue":"1"`, `"characterValue":"`+test.sum+`"`,
				`"concepts":[`, `"concepts":[{"ghostId":-60,"categoryId":4,"typeCharacter":"the_age","characterValue":"7","accessId":4},`,
				`"connections":[`, fmt.Sprintf(`"connections":[{"ghostId":-60,"ofTheConceptId":%[1]d,"toTheConceptId":-60,"typeId":%[1]d,"orderId":2,"accessId":4},`, id),
			).Replace(incrementOf(id, -61, "2")), &synced{})
			wantRecord(t, s, id, `"name":"30"`, `"age":"`+test.want+`"`)
		}
	})
	t.Run("add to the value of another client if the sender saw 0 in between", func(t *testing.T) {
		c := c.in(t).with("Randomizer", "200")
		c.postSync(strings.Replace(counterBatch, `"30"`, `"1"`, 1), &made)
		id := int64(made.recordOf(t, -1).ID)
		newCaller(t, s).postSync(incrementOf(id, -70, "9"), &synced{})
		both := strings.NewReplacer(
			`"atomic":true,`, `"atomic":true,"removeConnections":[-71],`,
			`"concepts":[`, `"concepts":[{"ghostId":-71,"categoryId":4,"typeCharacter":"the_age","characterValue":"0","accessId":4},`,
			`"connections":[`, fmt.Sprintf(`"connections":[{"ghostId":-71,"ofTheConceptId":%[1]d,"toTheConceptId":-71,"typeId":%[1]d,"orderId":2,"accessId":4},`, id),
			`"increments":[`, `"increments":[{"concept":-71,"by":-1},`,
		)
		c.postSync(both.Replace(incrementOf(id, -72, "1")), &synced{})
		wantRecord(t, s, id, `"age":"10"`)
	})
	t.Run("are refused for a value that is not a number, and for a concept that is not a value of the request", func(t *testing.T) {
		c := c.in(t)
		c.postSync(strings.NewReplacer(`"30"`, `"many"`, `-1`, `-41`, `-2`, `-42`).Replace(counterBatch), &made)
		many := int64(made.recordOf(t, -41).ID)
		for want, body := range map[string]string{
			`age cannot be incremented`:         incrementOf(many, -50, "1"),
			`not a value of the request`:        strings.Replace(incrementOf(many, -50, "1"), `"concept":-50`, `"concept":-51`, 1),
			`they must both be numbers`:         incrementOf(counter, -50, `"a lot"`),
			`the sum of "9" and "9007199254740`: incrementOf(counter, -50, "9007199254740991"),
		} {
			if message := c.mustFailSync(body); !strings.Contains(message, want) {
				t.Errorf("the message is %q; want %q", message, want)
			}
		}
	})
}

func TestUpserts(t *testing.T) {
	s := servertest.Start(t)
	ids := map[int64]bool{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for n := range 10 {
		group.Go(func() {
			var made synced
			newCaller(t, s).with("Randomizer", fmt.Sprint(n)).postSync(personOf(-10, "ann@example.org", fmt.Sprint("Ann ", n)), &made)
			mu.Lock()
			defer mu.Unlock()
			ids[int64(made.recordOf(t, -10).ID)] = true
		})
	}
	group.Wait()
	if len(ids) != 1 {
		t.Fatalf("ten upserts made %d records", len(ids))
	}
	var person int64
	for id := range ids {
		person = id
	}
	c := newCaller(t, s).with("Randomizer", "77")

	t.Run("replace the fields that they have, and keep the others", func(t *testing.T) {
		c := c.in(t)
		c.postSync(addField(person, -5, "the_age", "30"), &synced{})
		var made synced
		c.postSync(personOf(-20, "ann@example.org", "Annie"), &made)
		wantRecord(t, s, person, `"age":"30"`, `"mail":"ann@example.org"`, `"name":"Annie"`)
		if len(made.Concepts) != 6 || len(made.Connections) != 3 {
			t.Errorf("the response has %d concepts and %d connections; want 6 and 3", len(made.Concepts), len(made.Connections))
		}
	})
	t.Run("have the same result when they are sent again after the key has changed", func(t *testing.T) {
		c := c.in(t)
		var first, again synced
		c.postSync(personOf(-30, "bo@example.org", "Bo"), &first)
		bo := int64(first.recordOf(t, -30).ID)
		c.postSync(addField(bo, -40, "the_mail", "bo@example.com"), &synced{})
		c.postSync(personOf(-30, "bo@example.org", "Bo"), &again)
		if got := int64(again.recordOf(t, -30).ID); got != bo {
			t.Errorf("the record is %d; want %d", got, bo)
		}
	})
	t.Run("do not find records of other users and types", func(t *testing.T) {
		ann := servertest.SignUp(t, s.URL, "ann@example.org")
		var made synced
		newCaller(t, s).withToken(ann).postSync(strings.ReplaceAll(personOf(-10, "cleo@example.org", "Cleo"), "the_person", "the_pet"), &made)
		pet := made.recordOf(t, -10).ID
		newCaller(t, s).withToken(ann).postSync(personOf(-20, "cleo@example.org", "Cleo"), &made)
		if made.recordOf(t, -20).ID == pet {
			t.Error("found a record of another type")
		}
		bo := servertest.SignUp(t, s.URL, "bo@example.org")
		before := made.recordOf(t, -20).ID
		newCaller(t, s).withToken(bo).postSync(personOf(-10, "cleo@example.org", "Cleo"), &made)
		if made.recordOf(t, -10).ID == before {
			t.Error("found a record of another user")
		}
	})
	t.Run("are refused without a value for the key", func(t *testing.T) {
		for _, body := range []string{
			strings.Replace(personOf(-50, "a", "b"), `"by":"the_mail"`, `"by":"the_phone"`, 1),
			personOf(-50, "", "b"),
			personOf(-50, strings.Repeat("x", 256), "b"),
			strings.Replace(personOf(-50, "a", "b"), `"concept":-50`, `"concept":-51`, 1),
		} {
			c.in(t).mustFailSync(body)
		}
	})
}

// wantRecord checks the record as text: it has all the given parts, and no other fields.
func wantRecord(t *testing.T, s *servertest.Server, id int64, parts ...string) {
	t.Helper()
	got := readRecord(t, s, graph.ID(id))
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("the record is %s; want %s", got, part)
		}
	}
	if strings.Count(got, `":"`) != len(parts) {
		t.Errorf("the record is %s; want %d fields", got, len(parts))
	}
}
