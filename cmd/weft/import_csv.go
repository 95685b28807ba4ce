package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

type importCSV struct {
	recordFlags
	File      string            `arg:"" help:"CSV file whose first row has the names of the columns; - reads standard input."`
	Delimiter string            `placeholder:"CHAR" help:"Separator of columns: a character, or tab. The default is the most frequent one of , ; tab and | in the first row."`
	Charset   string            `default:"utf-8" enum:"utf-8,windows-1252,utf-16" help:"Charset of the file: utf-8, windows-1252 or utf-16 (${default}). A byte order mark takes precedence."`
	Ragged    string            `default:"refuse" enum:"refuse,skip,fill" help:"Rows with too few or too many columns: refuse the file, skip them, or fill missing columns with nothing and refuse rows with too many (${default})."`
	Field     map[string]string `placeholder:"COLUMN=FIELD" help:"Name of the field for a column. The default is the name of the column in camelCase."`
	Skip      []string          `placeholder:"COLUMN" help:"Columns to leave out."`
	DryRun    bool              `help:"Check the file and print the proposed mapping, without importing anything."`
}

// Help implements kong.HelpProvider.
func (importCSV) Help() string {
	return `The whole file is checked before anything is written: its charset, its quotes, and the number of columns of each row. ` +
		`--dry-run prints which column becomes which field, with examples. Empty cells become no field. Formulas such as =A1+B1 are imported as text. ` +
		`As with weft import json, the same import can be repeated, and records are private unless --access is public.` +
		"\n\n" + `For example: weft import csv people.csv --type the_person --dry-run`
}

// Run checks the file, and imports it or prints the mapping.
func (c importCSV) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if err := c.checkType(); err != nil {
		return err
	}
	name, err := c.importName(c.File)
	if err != nil {
		return err
	}
	file, remove, err := c.localFile()
	if err != nil {
		return err
	}
	defer remove()
	sheet, err := c.survey(file)
	if err != nil {
		return err
	}
	if c.DryRun {
		return sheet.print(os.Stdout, c.Type)
	}
	sheet.printNotes(os.Stderr)
	return c.withWriter(ctx, name, func(w *recordWriter) error { return c.importRows(ctx, w, sheet, file) })
}

// localFile returns the name of the file. Standard input is copied to a temporary file, because the file is read twice.
func (c importCSV) localFile() (name string, remove func(), err error) {
	if c.File != "-" {
		return c.File, func() {}, nil
	}
	copied, err := os.CreateTemp("", "weft-import-*.csv")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.Remove(copied.Name()) }
	_, err = io.Copy(copied, os.Stdin)
	if err = errors.Join(err, copied.Close()); err != nil {
		remove()
	}
	return copied.Name(), remove, err
}

// A sheet describes a CSV file.
type sheet struct {
	delimiter rune
	columns   []column
	rows      int      // without the first row and skipped rows
	ragged    []string // descriptions of rows with a wrong number of columns, at most maxRaggedListed + 1
	formulas  int      // number of cells with a formula
}

// A column is a column of a sheet.
type column struct {
	name     string
	field    string // "" if the column is left out
	filled   int    // cells that are not empty
	examples []string
	kinds    map[string]int // number of cells by the kind of their text
}

const (
	maxRaggedListed  = 10
	maxColumnsInFile = 1_000
	maxExamples      = 3 // per column
)

// survey reads the whole file and checks it.
func (c importCSV) survey(file string) (*sheet, error) {
	s := &sheet{}
	unknown := map[string]bool{}
	for name := range c.Field {
		unknown[name] = true
	}
	for _, name := range c.Skip {
		unknown[name] = true
	}
	err := c.readRows(file, s, func(line int, cells []string) error {
		if s.columns == nil {
			return c.addColumns(s, cells, unknown)
		}
		return c.surveyRow(s, line, cells)
	})
	switch {
	case err != nil:
		return nil, err
	case s.columns == nil:
		return nil, graph.Errorf(graph.Invalid, "%s is empty: the first row must have the names of the columns", c.File)
	case len(s.ragged) > 0 && c.Ragged != "skip":
		return nil, graph.Errorf(graph.Invalid, "%s: nothing was imported, because rows do not have %d columns: %s; correct them, or use --ragged skip or fill",
			c.File, len(s.columns), strings.Join(s.ragged, ", "))
	}
	return s, nil
}

// addColumns adds the columns of the first row, with the fields that they become. It removes the names of the columns from
// unknown, which contains the names in --field and --skip. If a name remains, it returns an Invalid error.
func (c importCSV) addColumns(s *sheet, names []string, unknown map[string]bool) error {
	if len(names) > maxColumnsInFile {
		return graph.Errorf(graph.TooLarge, "%s has %d columns; the maximum is %d", c.File, len(names), maxColumnsInFile)
	}
	byField := map[string]string{}
	for i, name := range names {
		name = strings.TrimSpace(name)
		col := column{name: name, field: fieldName(name, i), kinds: map[string]int{}}
		if given, ok := c.Field[name]; ok {
			col.field = given
		}
		if slices.Contains(c.Skip, name) {
			col.field = ""
		}
		delete(unknown, name)
		if other, taken := byField[col.field]; taken && col.field != "" {
			return graph.Errorf(graph.Invalid, "the columns %q and %q both become the field %q; use --field or --skip", graph.Clip(other), graph.Clip(name), graph.Clip(col.field))
		}
		byField[col.field] = name
		s.columns = append(s.columns, col)
	}
	for name := range unknown {
		return graph.Errorf(graph.Invalid, "%s has no column %q; it has %s", c.File, graph.Clip(name), graph.Clip(strings.Join(names, ", ")))
	}
	return nil
}

// surveyRow counts the cells of a row, and records a row with a wrong number of columns.
func (c importCSV) surveyRow(s *sheet, line int, cells []string) error {
	if isRagged := len(cells) != len(s.columns); isRagged && (c.Ragged != "fill" || len(cells) > len(s.columns)) {
		if len(s.ragged) < maxRaggedListed {
			s.ragged = append(s.ragged, fmt.Sprintf("line %d has %d", line, len(cells)))
		} else if len(s.ragged) == maxRaggedListed {
			s.ragged = append(s.ragged, "and more")
		}
		return nil
	}
	if isBlank(cells) {
		return nil
	}
	s.rows++
	for i, cell := range cells {
		col := &s.columns[i]
		if cell == "" {
			continue
		}
		col.filled++
		col.kinds[kindOfText(cell)]++
		if len(col.examples) < maxExamples && !slices.Contains(col.examples, cell) {
			col.examples = append(col.examples, cell)
		}
		if isFormula(cell) {
			s.formulas++
		}
	}
	return nil
}

func isBlank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" })
}

// readRows calls visit for each row with the number of its line. It sets the delimiter of the sheet at the first call.
func (c importCSV) readRows(file string, s *sheet, visit func(line int, cells []string) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; want a file", c.File)
	}
	text, err := decodeText(f, c.Charset)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if s.delimiter == 0 {
		if s.delimiter, err = c.delimiter(text.firstLine()); err != nil {
			return err
		}
	}
	r := csv.NewReader(text)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = s.delimiter, -1, true
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		line, _ := r.FieldPos(0)
		if err := visit(line, cells); err != nil {
			return err
		}
	}
}

// delimiter returns the separator of columns: the character of --delimiter, or the most frequent candidate in the
// first line.
func (c importCSV) delimiter(firstLine string) (rune, error) {
	switch given := []rune(c.Delimiter); {
	case c.Delimiter == "tab" || c.Delimiter == `\t`:
		return '\t', nil
	case len(given) == 1:
		return given[0], nil
	case len(given) > 1:
		return 0, usageErrorf("--delimiter %q is not one character or tab", c.Delimiter)
	}
	best := ','
	for _, candidate := range ";\t|" {
		if strings.Count(firstLine, string(candidate)) > strings.Count(firstLine, string(best)) {
			best = candidate
		}
	}
	return best, nil
}

// importRows imports the rows as a stream of JSON records.
func (c importCSV) importRows(ctx context.Context, w *recordWriter, s *sheet, file string) error {
	read, write := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		isFirst := true
		write.CloseWithError(c.readRows(file, s, func(_ int, cells []string) error {
			if isFirst || isBlank(cells) || len(cells) > len(s.columns) || len(cells) < len(s.columns) && c.Ragged == "skip" {
				isFirst = false
				return nil
			}
			_, err := write.Write(append(s.record(cells).AppendJSON(nil), '\n'))
			return err
		}))
	}()
	err := c.runWriter(ctx, w, &recordStream{Reader: read, total: s.rows})
	_ = read.CloseWithError(errors.New("the import has ended"))
	<-done
	return err
}

// record returns the record of a row.
func (s *sheet) record(cells []string) composition.Value {
	var fields composition.Fields
	for i, cell := range cells {
		if s.columns[i].field != "" && cell != "" {
			fields.Set(s.columns[i].field, composition.TextValue(cell))
		}
	}
	v := fields.Record()
	v.Kind = composition.Record
	return v
}

// print prints the proposed mapping.
func (s *sheet) print(out io.Writer, typeName string) error {
	fmt.Fprintf(out, "%s of %s, columns separated by %q. Nothing was imported.\n\n", formatCount(s.rows, "record"), typeName, string(s.delimiter))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "COLUMN\tFIELD\tFILLED\tLOOKS LIKE\tEXAMPLES")
	for _, col := range s.columns {
		field := col.field
		if field == "" {
			field = "(left out)"
		}
		examples := make([]string, len(col.examples))
		for i, example := range col.examples {
			examples[i] = clipCell(example)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", col.name, field, col.filled, col.kind(), strings.Join(examples, " · "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	s.printNotes(out)
	return nil
}

// printNotes prints warnings about the file.
func (s *sheet) printNotes(out io.Writer) {
	if s.formulas > 0 {
		fmt.Fprintf(out, "%s with a formula: imported as text, not computed.\n", formatCount(s.formulas, "cell"))
	}
	if len(s.ragged) > 0 {
		fmt.Fprintf(out, "Left out, because they do not have %d columns: %s.\n", len(s.columns), strings.Join(s.ragged, ", "))
	}
}
