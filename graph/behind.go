package graph

// Behind finds what a store can do besides what every store can, also when it is behind others that stand
// before it: those have a method Unwrap.
func Behind[T any](store Store) (T, bool) {
	for {
		if found, ok := store.(T); ok {
			return found, true
		}
		front, ok := store.(interface{ Unwrap() Store })
		if !ok {
			var none T
			return none, false
		}
		store = front.Unwrap()
	}
}
