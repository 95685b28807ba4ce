package memory

// Reads returns the number of records that lists and selections have read.
func (s *Store) Reads() int64 { return s.reads.Load() }
