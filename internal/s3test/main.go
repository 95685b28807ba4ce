// Command s3test serves a directory over the S3 protocol, for tests: a real gateway in front of real files. It is a
// module of its own so that what it needs stays out of Weft. It prints nothing; it is ready when it answers.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: s3test address directory, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY set")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "s3test:", err)
		os.Exit(1)
	}
}

func serve(address, directory string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	objects, sidecar := filepath.Join(directory, "objects"), filepath.Join(directory, "meta")
	for _, d := range []string{objects, sidecar} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	about, err := meta.NewSideCar(sidecar)
	if err != nil {
		return err
	}
	backend, err := posix.New(objects, about, posix.PosixOpts{SideCarDir: sidecar, ForceNoTmpFile: true})
	if err != nil {
		return err
	}
	// Connections are not kept alive: the gateway may answer before it has read the end of a body, and then takes the rest
	// for the next request.
	return embedgw.RunVersityGW(ctx, backend, &embedgw.Config{
		RootUserAccess:    os.Getenv("AWS_ACCESS_KEY_ID"),
		RootUserSecret:    os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Ports:             []string{address},
		MaxConnections:    100,
		MaxRequests:       100,
		MultipartMaxParts: 100,
		Quiet:             true,
	})
}
