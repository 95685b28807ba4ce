package account

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Client is the device and the network from which a request comes. The zero value is an unknown device in an
// unknown network.
type Client struct {
	// Name describes the device in the list of sessions.
	Name string
	// Network is the network of the client, as a key for limits.
	Network string
	// DeviceTokens are the tokens of earlier sign-ins on the device, from SignInResult.DeviceToken. Tokens
	// of other accounts are ignored.
	DeviceTokens []string
	// RenewsTokens means that the client renews its access token before it expires. Other clients receive a session token.
	RenewsTokens bool
}

const (
	// networksPrefix is followed by the id of a user; the value is a knownNetworks.
	networksPrefix   = "account/networks/"
	deviceSecretKey  = "account/device-secret"
	maxKnownNetworks = 8 // per account; the least recently used are dropped
	// networkLife is how long a network is known after its last use. networkRenewal is the interval at which its use
	// is recorded.
	networkLife    = 90 * 24 * time.Hour
	networkRenewal = 24 * time.Hour
)

// knownNetworks holds the networks from which a user last signed in, or refreshed tokens, with the current password.
// Addresses are stored as keyed hashes.
type knownNetworks struct {
	Password []byte         `json:"password"` // hash of the stored password; after the password changes, the networks are unknown
	Networks []knownNetwork `json:"networks"` // last used first
}

type knownNetwork struct {
	Hash []byte    `json:"hash"`
	Used time.Time `json:"used"`
}

// A knownClient is the state of a client for one account.
type knownClient struct {
	isKnown bool
	source  string // key of the device if the device is known, otherwise of the network
	device  string // id of a known device, "" otherwise
}

// recognizeClient returns the state of a client for an account. For the zero account it returns an unknown client after
// the same reads, so that the duration does not reveal whether an account exists.
func (a *Accounts) recognizeClient(ctx context.Context, u account, from Client) (knownClient, error) {
	secret, err := a.devices.get(ctx, a.kv)
	if err != nil {
		return knownClient{}, err
	}
	known, _, err := read[knownNetworks](ctx, a.kv, keyOf(networksPrefix, u.ID))
	if err != nil {
		return knownClient{}, err
	}
	client := knownClient{source: " from " + from.Network}
	if u.ID == 0 {
		return client, nil
	}
	for _, token := range from.DeviceTokens {
		id, _, _ := strings.Cut(token, ".")
		if hmac.Equal([]byte(token), []byte(deviceToken(secret, u, id))) {
			return knownClient{isKnown: true, source: " on " + id, device: id}, nil
		}
	}
	client.isKnown = known.find(u, networkHash(secret, from.Network), a.now()) >= 0
	return client, nil
}

// find returns the index of a network. It returns -1 if the network is not in the list, was last used more than
// networkLife ago, or was used with an earlier password.
func (k knownNetworks) find(u account, hash []byte, now time.Time) int {
	if !bytes.Equal(k.Password, digest(u.Password)) {
		return -1
	}
	return slices.IndexFunc(k.Networks, func(n knownNetwork) bool {
		return bytes.Equal(n.Hash, hash) && now.Before(n.Used.Add(networkLife))
	})
}

// networkOps returns the operations that make the network of a client known to an account. It returns no
// operations if the client has no network, or if the network is known and its last recorded use is recent.
func (a *Accounts) networkOps(ctx context.Context, u account, from Client) ([]kv.Op, error) {
	secret, err := a.devices.get(ctx, a.kv)
	if err != nil || from.Network == "" {
		return nil, err
	}
	known, _, err := read[knownNetworks](ctx, a.kv, keyOf(networksPrefix, u.ID))
	if err != nil {
		return nil, err
	}
	hash, now := networkHash(secret, from.Network), a.now()
	if i := known.find(u, hash, now); i >= 0 && now.Before(known.Networks[i].Used.Add(networkRenewal)) {
		return nil, nil
	}
	next := knownNetworks{Password: digest(u.Password), Networks: []knownNetwork{{hash, now}}}
	if bytes.Equal(known.Password, next.Password) {
		for _, n := range known.Networks {
			if !bytes.Equal(n.Hash, hash) && len(next.Networks) < maxKnownNetworks {
				next.Networks = append(next.Networks, n)
			}
		}
	}
	return []kv.Op{put(keyOf(networksPrefix, u.ID), next).Until(now.Add(networkLife))}, nil
}

// newDeviceToken returns a token that makes a device known to an account until its password changes. A device that is
// already known keeps its id.
func (a *Accounts) newDeviceToken(ctx context.Context, u account, known knownClient) (string, error) {
	secret, err := a.devices.get(ctx, a.kv)
	id := known.device
	if id == "" {
		id = encodeToken(randomBytes(16))
	}
	return deviceToken(secret, u, id), err
}

func deviceToken(secret []byte, u account, id string) string {
	return id + "." + encodeToken(keyedHash(secret, "device", u.ID.String(), id, u.Password))
}

func networkHash(secret []byte, network string) []byte {
	return keyedHash(secret, "network", network)[:16]
}

func keyedHash(secret []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, secret)
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return h.Sum(nil)
}

// deviceSecret caches the key of device tokens and of the hashes of networks. It is created once for each store.
type deviceSecret struct {
	mu  sync.Mutex
	key []byte
}

// get returns the key. It creates the key if the store has none.
func (d *deviceSecret) get(ctx context.Context, entries kv.Store) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.key != nil {
		return d.key, nil
	}
	err := entries.Commit(ctx, put(deviceSecretKey, randomBytes(32)).If(kv.Absent))
	if err != nil && graph.KindOf(err) != graph.Conflict {
		return nil, err
	}
	key, _, err := read[[]byte](ctx, entries, deviceSecretKey)
	if err == nil {
		d.key = key
	}
	return key, err
}
