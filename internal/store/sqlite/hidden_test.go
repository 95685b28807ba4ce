package sqlite

import (
	"reflect"
	"testing"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/weft-graph/weft/internal/store/storetest"
)

// The work is counted in steps of the virtual machine that runs statements.
func TestHiddenRecordsCostNothing(t *testing.T) {
	storetest.RunHidden(t, func(t *testing.T) storetest.CountedStore {
		s, err := Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		s.db.SetMaxOpenConns(1)
		return storetest.CountedStore{Store: s, Reader: s, Settle: s.Settle, Work: func() int64 { return stepsOf(t, s.Reader) }}
	})
}

// stepsOf returns the number of steps that the statements of a reader with one connection have taken.
func stepsOf(t *testing.T, r *Reader) (total int64) {
	t.Helper()
	conn, err := r.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(driverConn any) error {
		tls := field(driverConn, "tls")
		db := field(driverConn, "db")
		next, status := reflect.ValueOf(sqlite3.Xsqlite3_next_stmt), reflect.ValueOf(sqlite3.Xsqlite3_stmt_status)
		statement := reflect.ValueOf(uintptr(0))
		for {
			statement = next.Call([]reflect.Value{tls, db, statement})[0]
			if statement.Uint() == 0 {
				return nil
			}
			op, reset := reflect.ValueOf(int32(sqlite3.SQLITE_STMTSTATUS_VM_STEP)), reflect.ValueOf(int32(0))
			total += status.Call([]reflect.Value{tls, statement, op, reset})[0].Int()
		}
	}); err != nil {
		t.Fatal(err)
	}
	return total
}

// field returns an unexported field of a connection of the driver.
func field(of any, name string) reflect.Value {
	f := reflect.ValueOf(of).Elem().FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}
