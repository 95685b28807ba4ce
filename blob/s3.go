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

// S3 is a Store in a bucket.
type S3 struct {
	client         *minio.Client
	bucket, prefix string
}

// OpenS3 returns the store at s3://bucket[/prefix][?endpoint=…&region=…]. The endpoint is a host, or a URL where it is
// not reached by https; left out, it is Amazon's. The keys come from the environment (AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY), never from the URL. Nothing is asked yet.
func OpenS3(address string) (*S3, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, errors.New("the bucket is not s3://bucket/prefix?endpoint=…&region=…")
	}
	if err := s3utils.CheckValidBucketNameStrict(u.Host); err != nil {
		return nil, err
	}
	if u.User != nil {
		return nil, errors.New("the URL of the bucket holds keys; they belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, err
	}
	host, secure := endpoint(query.Get("endpoint"))
	client, err := minio.New(host, &minio.Options{
		Creds:      credentials.NewEnvAWS(),
		Secure:     secure,
		Region:     query.Get("region"),
		MaxRetries: 3, // a person is waiting
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

func endpoint(text string) (host string, secure bool) {
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
	whole := &ending{Reader: r}
	part := &io.LimitedReader{R: whole, N: size}
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, part, size, minio.PutObjectOptions{
		ContentType: kind, DisableMultipart: true,
	})
	if err != nil && part.N > 0 && whole.ended {
		return tooShort(name, size)
	}
	return s.failed(name, err)
}

// ending notices that a reader has come to its end.
type ending struct {
	io.Reader
	ended bool
}

func (e *ending) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	e.ended = errors.Is(err, io.EOF)
	return n, err
}

// Get implements Store.
func (s *S3) Get(ctx context.Context, name string) (io.ReadSeekCloser, Info, error) {
	if err := checkName(name); err != nil {
		return nil, Info{}, notFound(name)
	}
	object, err := s.client.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, Info{}, s.failed(name, err)
	}
	about, err := object.Stat()
	if err != nil {
		return nil, Info{}, errors.Join(s.failed(name, err), object.Close())
	}
	return object, Info{Name: name, Size: about.Size, Modified: about.LastModified}, nil
}

// Remove implements Store.
func (s *S3) Remove(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := s.failed(name, s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{}))
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
			return nil, s.failed(s.prefix, object.Err)
		}
		name := strings.TrimPrefix(object.Key, s.prefix)
		if checkName(name) != nil {
			continue // somebody else's
		}
		if found = append(found, Info{Name: name, Size: object.Size, Modified: object.LastModified}); len(found) == limit {
			break
		}
	}
	return found, nil
}

func (s *S3) failed(name string, err error) error {
	if err == nil {
		return nil
	}
	if answer := minio.ToErrorResponse(err); answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound && answer.Code == "" {
		return notFound(name)
	}
	return graph.Wrap(graph.Unavailable, err, "the bucket of the uploads does not answer as it should")
}
