package main

import "testing"

func TestStoreFlagMemoryOpensAStoreInMemory(t *testing.T) {
	for _, name := range []string{"memory", "memory:"} {
		store, err := storeFlags{Store: name, Data: t.TempDir()}.open(t.Context())
		if err != nil {
			t.Fatalf("--store %s: %v", name, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := (storeFlags{Store: "memories"}).open(t.Context()); err == nil {
		t.Error("--store memories is accepted; want an error")
	}
}
