package blob

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/weft-graph/weft/graph"
)

// S3 is a Store in a bucket of an S3 server, under an optional prefix.
type S3 struct {
	client         *minio.Client
	bucket, prefix string
}

// OpenS3 returns the store at s3://bucket[/prefix][?endpoint=…&region=…]. The endpoint is a host name, reached by
// HTTPS, or a URL with http:// or https://; the default is the endpoint of Amazon. Credentials come from the
// environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY); a URL with credentials is rejected. OpenS3 sends no
// request.
func OpenS3(address string) (*S3, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, errors.New("invalid bucket URL; want s3://bucket/prefix?endpoint=…&region=…")
	}
	if err := s3utils.CheckValidBucketNameStrict(u.Host); err != nil {
		return nil, err
	}
	if u.User != nil {
		return nil, errors.New("the URL of the bucket has credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, err
	}
	host, secure := parseEndpoint(query.Get("endpoint"))
	client, err := minio.New(host, &minio.Options{
		Creds:      credentials.NewEnvAWS(),
		Secure:     secure,
		Region:     query.Get("region"),
		MaxRetries: 3, // fewer than the default of 10, because a user waits for the response
	})
	if err != nil {
		return nil, err
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	return &S3{client: client, bucket: u.Host, prefix: prefix}, nil
}

func parseEndpoint(text string) (host string, secure bool) {
	if text == "" {
		return "s3.amazonaws.com", true
	}
	if plain, ok := strings.CutPrefix(text, "http://"); ok {
		return strings.Trim(plain, "/"), false
	}
	return strings.Trim(strings.TrimPrefix(text, "https://"), "/"), true
}

// Put implements Store.
func (s *S3) Put(ctx context.Context, name string, r io.Reader, size int64, kind string) error {
	if err := checkName(name); err != nil {
		return err
	}
	source := &endRecorder{Reader: r}
	limited := &io.LimitedReader{R: source, N: size}
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, limited, size, minio.PutObjectOptions{
		ContentType: kind, DisableMultipart: true,
	})
	if err != nil && limited.N > 0 && source.ended {
		return tooShortError(name, size)
	}
	return s.wrapError(name, err)
}

// endRecorder is a reader that records whether its source has ended.
type endRecorder struct {
	io.Reader
	ended bool
}

func (e *endRecorder) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	e.ended = errors.Is(err, io.EOF)
	return n, err
}

// Get implements Store.
func (s *S3) Get(ctx context.Context, name string) (io.ReadSeekCloser, Info, error) {
	if err := checkName(name); err != nil {
		return nil, Info{}, notFoundError(name)
	}
	object, err := s.client.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, Info{}, s.wrapError(name, err)
	}
	stat, err := object.Stat()
	if err != nil {
		return nil, Info{}, errors.Join(s.wrapError(name, err), object.Close())
	}
	return object, Info{Name: name, Size: stat.Size, Modified: stat.LastModified}, nil
}

// Remove implements Store.
func (s *S3) Remove(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := s.wrapError(name, s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{}))
	if graph.KindOf(err) == graph.NotFound {
		return nil
	}
	return err
}

// List implements Store.
func (s *S3) List(ctx context.Context, after string, limit int) ([]Info, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	options := minio.ListObjectsOptions{Prefix: s.prefix, MaxKeys: min(limit, 1000)}
	if after != "" {
		options.StartAfter = s.prefix + after
	}
	var found []Info
	for object := range s.client.ListObjectsIter(ctx, s.bucket, options) {
		if object.Err != nil {
			return nil, s.wrapError(s.prefix, object.Err)
		}
		name := strings.TrimPrefix(object.Key, s.prefix)
		if checkName(name) != nil {
			continue // the object belongs to another application
		}
		if found = append(found, Info{Name: name, Size: object.Size, Modified: object.LastModified}); len(found) == limit {
			break
		}
	}
	return found, nil
}

// wrapError returns a NotFound error if the bucket has no such object, and an Unavailable error for other failures.
func (s *S3) wrapError(name string, err error) error {
	if err == nil {
		return nil
	}
	response := minio.ToErrorResponse(err)
	if response.Code == minio.NoSuchKey || response.StatusCode == http.StatusNotFound && response.Code == "" {
		return notFoundError(name)
	}
	return graph.Wrap(graph.Unavailable, err, "request to the bucket of uploads failed")
}
