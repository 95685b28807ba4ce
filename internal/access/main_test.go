package access_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/weft-graph/weft/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }
