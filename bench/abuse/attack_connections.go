package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// slowBody announces a body of 30 MiB. It sends 0, 128 or 256 KiB immediately, and the rest at one byte per second.
func slowBody(ctx context.Context, a *attacker) {
	conn, err := a.dial(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/local-concepts HTTP/1.1\r\nHost: weft\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", 30<<20)
	_, _ = conn.Write(bytes.Repeat([]byte(" "), a.number%3*128<<10)) // if this write fails, hold fails, too, and counts the failure
	a.hold(ctx, conn, ' ')
}

// halfRequest sends an incomplete header, and then one byte per second, without ever completing the header.
func halfRequest(ctx context.Context, a *attacker) {
	conn, err := a.dial(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /api/health HTTP/1.1\r\nHost: weft\r\nX-A: ")
	a.hold(ctx, conn, 'a')
}

// slowReader requests all values that writeLargeTexts stored, about 80 MB, and reads 1 KiB per second.
func slowReader(ctx context.Context, a *attacker) {
	conn, err := a.dial(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4 << 10) // with the default size, the kernel buffers megabytes of the response
	}
	body := a.listOfIDs()
	fmt.Fprintf(conn, "POST /api/get_concept_bulk HTTP/1.1\r\nHost: weft\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	reader := bufio.NewReaderSize(conn, 1<<10)
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		a.countEnd(ctx)
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		a.countStatus(response.StatusCode)
		pause(ctx, time.Second)
		return
	}
	buffer := make([]byte, 1<<10)
	for ctx.Err() == nil {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := response.Body.Read(buffer); err != nil {
			a.countEnd(ctx)
			return
		}
		pause(ctx, time.Second)
	}
	a.countEnd(ctx)
}

// churnStream opens a change stream. Attackers with an even number keep it open; the other attackers close it
// immediately.
func churnStream(ctx context.Context, a *attacker) {
	conn, err := a.dial(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /api/v1/events?after=0 HTTP/1.1\r\nHost: weft\r\n\r\n")
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		a.countEnd(ctx)
		return
	}
	defer response.Body.Close()
	a.countStatus(response.StatusCode)
	if response.StatusCode == http.StatusOK && a.number%2 == 0 {
		<-ctx.Done()
		return
	}
	pause(ctx, 50*time.Millisecond)
}

// slowUpload announces an upload of 20 MiB. It sends 64 KiB immediately, and the rest at one byte per second.
func slowUpload(ctx context.Context, a *attacker) {
	conn, err := a.dial(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	const partHeader = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n"
	fmt.Fprintf(conn, "POST /api/Image/UploadFile HTTP/1.1\r\nHost: weft\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: multipart/form-data; boundary=X\r\nContent-Length: %d\r\n\r\n%s", a.token, 20<<20, partHeader+strings.Repeat("a", 64<<10))
	a.hold(ctx, conn, 'a')
}
