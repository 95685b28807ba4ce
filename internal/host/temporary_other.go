//go:build !unix

package host

import "os"

// makeTemporary creates a temporary folder. The returned function removes it. The folders of killed processes remain, because this system
// has no flock.
func makeTemporary(prefix string) (folder string, remove func(), err error) {
	folder, err = os.MkdirTemp("", prefix)
	return folder, func() { _ = os.RemoveAll(folder) }, err
}
