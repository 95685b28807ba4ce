package graph

import (
	"context"
	"strings"
)

// TypePrefix starts every type name except the bare words of which type names consist.
const TypePrefix = "the_"

// WithPrefix returns the name with the prefix "the_", unless it already has the prefix or is "the".
func WithPrefix(name string) string {
	if name == "the" || strings.HasPrefix(name, TypePrefix) {
		return name
	}
	return TypePrefix + name
}

// WithoutPrefix returns the name without a leading "the_".
func WithoutPrefix(name string) string { return strings.TrimPrefix(name, TypePrefix) }

// SplitType splits a type name at its last underscore into its category and its word: "the_person_name" is
// "the_person" and "name". A name without an underscore, or with only a leading one, is a bare word: ok is
// false and word is the whole name.
func SplitType(name string) (category, word string, ok bool) {
	i := strings.LastIndexByte(name, '_')
	if i <= 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// TypeChain returns the names of the type concepts that name requires, in order of creation: "the_person_name"
// requires "person", "the_person", "name" and "the_person_name". The name "the" is fixed and requires none. A
// name may occur twice; stores reuse existing types.
func TypeChain(name string) []string {
	if name == "the" {
		return nil
	}
	category, word, ok := SplitType(name)
	if !ok {
		return []string{name}
	}
	return append(append(TypeChain(category), TypeChain(word)...), name)
}

// MaxTypeWords is the maximum number of underscores in a type name. It bounds the length of a type chain.
const MaxTypeWords = 32

// CheckTypeName returns an Invalid error for text that cannot be a type name: CheckText rejects it, it is
// longer than MaxSharedValue, or it has more than MaxTypeWords underscores.
func CheckTypeName(name string) error {
	if err := CheckText("type name", name); err != nil {
		return err
	}
	if n := utf16Length(name); n > MaxSharedValue {
		return Errorf(Invalid, "type name %q is %d characters long; the maximum is %d", Clip(name), n, MaxSharedValue)
	}
	if n := strings.Count(name, "_"); n > MaxTypeWords {
		return Errorf(Invalid, "type name %q has %d underscores; the maximum is %d", Clip(name), n, MaxTypeWords)
	}
	return nil
}

// TypesNamed returns the type concepts with the given names, by name. Names of types that do not exist are left
// out. It makes one request to the reader, however many names there are.
func TypesNamed(ctx context.Context, r Reader, names ...string) (map[string]Concept, error) {
	var keys []ValueKey
	requested := map[string]bool{}
	for _, name := range names {
		for _, part := range append(TypeChain(name), name, "the") {
			if !requested[part] {
				requested[part] = true
				keys = append(keys, ValueKey{Value: part, Types: true})
			}
		}
	}
	candidates, err := r.ConceptsByValue(ctx, keys)
	if err != nil {
		return nil, err
	}
	byValue := map[string][]Concept{}
	for _, c := range candidates {
		if c.IsType() {
			byValue[c.Value] = append(byValue[c.Value], c)
		}
	}
	found := map[string]Concept{}
	for _, name := range names {
		if c, ok := typeNamed(byValue, name); ok {
			found[name] = c
		}
	}
	return found, nil
}

// typeNamed returns the type with the given name. Its value is the name, and its category is the type
// named by the prefix. Other concepts may have the same value and another category.
func typeNamed(byValue map[string][]Concept, name string) (Concept, bool) {
	category := CategoryWord
	if prefix, _, ok := SplitType(name); ok && name != "the" {
		c, found := typeNamed(byValue, prefix)
		if !found {
			return Concept{}, false
		}
		category = c.ID
	}
	for _, c := range byValue[name] {
		if c.Category == category || name == "the" && c.ID == The {
			return c, true
		}
	}
	return Concept{}, false
}
