package budget_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

const mib = 1 << 20

func TestShares(t *testing.T) {
	t.Run("owners that ask for all memory leave a share for the next owner", func(t *testing.T) {
		const owners = 8
		b := budget.New(120 * mib)
		held := make([][]*budget.Account, owners)
		for range 500 { // requests of all owners end and are replaced by as many as fit
			for n := range held {
				if len(held[n]) > 0 {
					held[n][0].Close()
					held[n] = held[n][1:]
				}
				for len(held[n]) < 200 {
					a := b.Open(fmt.Sprint(n))
					if a.Grow(256<<10) != nil {
						break
					}
					held[n] = append(held[n], a)
				}
			}
		}
		u := b.Usage()
		if free, share := u.Total-u.Used, u.Total/(owners+1); free < share*3/4 {
			t.Errorf("%d owners left %d bytes; want about %d", owners, free, share)
		}
		for n := range held {
			if got := len(held[n]); got < 30 || got > 70 {
				t.Errorf("owner %d holds %d accounts; want 30 to 70 (a fair share is 53)", n, got)
			}
		}
	})
	t.Run("reports whether a retry can succeed", func(t *testing.T) {
		b := budget.New(10 * mib)
		if got := graph.KindOf(b.Open("a").Grow(6 * mib)); got != graph.TooLarge {
			t.Errorf("more than half of everything: %q; want tooLarge", got)
		}
		first := b.Open("a")
		if err := first.Grow(5 * mib); err != nil {
			t.Fatal(err)
		}
		if got := graph.KindOf(b.Open("a").Grow(mib)); got != graph.Unavailable {
			t.Errorf("a request beyond the free memory: %q; want unavailable", got)
		}
		first.Close()
		if err := b.Open("a").Grow(5 * mib); err != nil {
			t.Errorf("after the first account was closed: %v; want no error", err)
		}
		if got := b.Usage().Refused; got != 1 {
			t.Errorf("%d charges counted as refused; want 1", got)
		}
	})
	t.Run("small accounts are not counted", func(t *testing.T) {
		b := budget.New(mib)
		for range 1000 {
			if err := b.Open("a").Grow(16 << 10); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.Usage().Peak; got != 0 {
			t.Errorf("%d bytes were counted; want none", got)
		}
	})
	t.Run("a nil budget has no limit", func(t *testing.T) {
		var none *budget.Budget
		a := none.Open("a")
		if err := a.Grow(1 << 60); err != nil {
			t.Error(err)
		}
		if err := budget.Charge(t.Context(), 1<<60); err != nil {
			t.Error(err)
		}
		a.Close()
	})
}

func TestWait(t *testing.T) {
	t.Run("released memory goes to the owner that holds the least", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := budget.New(20 * mib)
			greedy, small := b.Open("greedy"), b.Open("small")
			others := []*budget.Account{b.Open("x"), b.Open("y"), b.Open("greedy")}
			for i, size := range []int64{10, 5, 2} {
				if err := []*budget.Account{others[0], others[1], others[2]}[i].Grow(size * mib); err != nil {
					t.Fatal(err)
				}
			}
			order := make(chan string, 2)
			wait := func(name string, a *budget.Account) {
				if err := a.Wait(t.Context(), 4*mib); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				order <- name
			}
			go wait("greedy", greedy)
			synctest.Wait()
			go wait("small", small)
			synctest.Wait()
			others[1].Close()
			if got := <-order; got != "small" {
				t.Errorf("%s was first; want small", got)
			}
			others[0].Close()
			<-order
		})
	})
	t.Run("ends after some seconds, or with the context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := budget.New(2 * mib)
			if err := b.Open("a").Grow(mib); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			waiting := b.Open("a")
			if err := waiting.Wait(t.Context(), mib); graph.KindOf(err) != graph.Unavailable || time.Since(began) != 5*time.Second {
				t.Errorf("%v after %s; want unavailable after 5s", err, time.Since(began))
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := waiting.Wait(ctx, mib); graph.KindOf(err) != graph.Unavailable {
				t.Errorf("after the request ended: %v; want unavailable", err)
			}
		})
	})
}

// The test grows, shrinks and closes random accounts.
func TestBudgetIsNeverExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := budget.New(rapid.Int64Range(1, 64).Draw(t, "MiB") * mib)
		accounts := make([]*budget.Account, 6)
		for i := range accounts {
			accounts[i] = b.Open(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "owner"))
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			a := rapid.SampledFrom(accounts).Draw(t, "account")
			n := rapid.Int64Range(0, 8*mib).Draw(t, "bytes")
			before := a.Charged()
			if rapid.Bool().Draw(t, "grow") {
				if err := a.Grow(n); err != nil {
					n = 0
				}
				if a.Charged() != before+n {
					t.Fatalf("%d bytes are charged; want %d + %d", a.Charged(), before, n)
				}
			} else {
				a.Shrink(n)
			}
			if u := b.Usage(); u.Used < 0 || u.Used > u.Total || a.Charged() > u.Total/2 {
				t.Fatalf("used %d of %d; the account holds %d; want at most %d and %d", u.Used, u.Total, a.Charged(), u.Total, u.Total/2)
			}
		}
		for _, a := range accounts {
			a.Close()
		}
		if got := b.Usage().Used; got != 0 {
			t.Fatalf("%d bytes were not returned; want 0", got)
		}
	})
}

func TestAccountsAreSafeForConcurrentUse(t *testing.T) {
	b := budget.New(8 * mib)
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for range 200 {
				a := b.Open(fmt.Sprint(n % 3))
				ctx := budget.In(t.Context(), a)
				if budget.Charge(ctx, 300<<10) == nil {
					a.Shrink(200 << 10)
				}
				a.Close()
				_ = budget.Charge(ctx, mib) // after the end
			}
		})
	}
	group.Wait()
	if got := b.Usage().Used; got != 0 {
		t.Errorf("%d bytes were not returned; want 0", got)
	}
}
