// Command s3test serves a directory over the S3 protocol, for tests. It runs a complete S3 gateway on files. It is a separate
// module, so that Weft does not get its dependencies. The command prints nothing; it is ready when it responds to requests.
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
	metadata, err := meta.NewSideCar(sidecar)
	if err != nil {
		return err
	}
	backend, err := posix.New(objects, metadata, posix.PosixOpts{SideCarDir: sidecar, ForceNoTmpFile: true})
	if err != nil {
		return err
	}
	// Connections are not kept alive: the gateway may respond before it has read a whole body, and would then read the rest of the
	// body as the next request.
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
