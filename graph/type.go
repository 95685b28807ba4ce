package graph

import "strings"

// Prefix is what every type name starts with, except the bare words type names are made of.
const Prefix = "the_"

// WithPrefix returns the name with "the_" in front, once. The name "the" stays what it is.
func WithPrefix(name string) string {
	if name == "the" || strings.HasPrefix(name, Prefix) {
		return name
	}
	return Prefix + name
}

// WithoutPrefix returns the name without a leading "the_".
func WithoutPrefix(name string) string { return strings.TrimPrefix(name, Prefix) }

// SplitType splits a type name at its last underscore into the category it belongs to and its word:
// "the_person_name" is "the_person" and "name". A name without an underscore, or with only a leading
// one, is a bare word: ok is false and word is the whole name.
func SplitType(name string) (category, word string, ok bool) {
	i := strings.LastIndexByte(name, '_')
	if i <= 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// TypeChain lists the type concepts that must exist for name, in the order they are made:
// "the_person_name" needs "person", "the_person", "name", "the_person_name". The name "the" is fixed
// and needs nothing. A name may repeat; making a type is find-or-make.
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

// MaxTypeWords bounds the underscores in a type name, so that a chain stays short.
const MaxTypeWords = 32

// CheckTypeName returns an Invalid error for a name that cannot be a type's.
func CheckTypeName(name string) error {
	if err := CheckText("type name", name); err != nil {
		return err
	}
	if n := utf16Length(name); n > MaxSharedValue {
		return Errorf(Invalid, "type name %q is %d characters long; the most is %d", Clip(name), n, MaxSharedValue)
	}
	if n := strings.Count(name, "_"); n > MaxTypeWords {
		return Errorf(Invalid, "type name %q has %d underscores; the most is %d", Clip(name), n, MaxTypeWords)
	}
	return nil
}
