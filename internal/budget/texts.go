package budget

import (
	"context"
	"errors"

	"github.com/weft-graph/weft/graph"
)

// maxTextsRead is the maximum size, in bytes, of the values in one read of ConceptsWithoutTexts.
const maxTextsRead = 16 << 20

// ConceptsWithoutTexts reads concepts and drops their values, for callers that only need the owners and types. It
// reads few concepts at a time if their values are long. While values are read, their memory is charged to the
// account in ctx. Even without an account, one read has values of at most maxTextsRead bytes.
func ConceptsWithoutTexts(ctx context.Context, records graph.RecordReader, ids []graph.ID) ([]graph.Concept, error) {
	account := Of(ctx)
	if account == nil {
		account = New(4 * maxTextsRead).Open("")
		defer account.Close()
		ctx = In(ctx, account)
	}
	all, chunk := make([]graph.Concept, 0, len(ids)), len(ids)
	for len(ids) > 0 {
		chunk = min(chunk, len(ids))
		before := account.Charged()
		var found []graph.Concept
		read := func() (err error) {
			found, err = records.Concepts(ctx, ids[:chunk])
			return err
		}
		var err error
		if chunk == 1 {
			err = read()
		} else {
			err = account.Page(maxTextsRead, read)
		}
		if errors.Is(err, ErrPageFull) && chunk > 1 {
			chunk = max(chunk/8, 1)
			continue
		}
		if err != nil {
			return nil, err
		}
		account.Shrink(account.Charged() - before)
		for i := range found {
			found[i].Value = ""
		}
		all, ids = append(all, found...), ids[chunk:]
	}
	return all, nil
}
