package graph

import "context"

// TypesNamed finds the type concepts with these names; names nobody made are left out. It asks the
// reader once, whatever the number of names.
func TypesNamed(ctx context.Context, r Reader, names ...string) (map[string]Concept, error) {
	var keys []ValueKey
	asked := map[string]bool{}
	for _, name := range names {
		for _, link := range append(TypeChain(name), name, "the") {
			if !asked[link] {
				asked[link] = true
				keys = append(keys, ValueKey{Value: link, Types: true})
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

// typeNamed picks the concept whose category is the type that the name's prefix names.
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
