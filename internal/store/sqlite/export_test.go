package sqlite

import "context"

// RecountUsage counts the usage of all users again, as after an upgrade.
func (s *Store) RecountUsage(ctx context.Context) error {
	return s.writer.submit(ctx, 1, func() error { //nolint:contextcheck // statements of the writer have no context
		return s.writer.exec(clearUsage + "; " + fillUsage)
	})
}
