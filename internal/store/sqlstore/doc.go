// Package sqlstore implements the parts of reading that SQL stores have in common. It compiles selections to SQL, and sorts
// rows, which a database returns in any order, into the order of the contract.
//
// # Selections
//
// Compile turns a graph.Selection into one statement. A Dialect writes the parts that differ between databases.
//
//	gathered   the set itself, or the first of an Intersection: read from the inside out, joined as nested loops, so
//	           that a limit ends the work early
//	checked    the other sets of an Intersection: a condition that is evaluated for each gathered member
//
// For example, "orders of customers named Ann, if they are paid" reads the value Ann, its customers and their orders, and checks
// for each order whether it is linked with the value paid. The planner of package query decides which set comes first.
//
// With a viewer, concepts of a type, connections and values are read scope by scope through indexes that contain the scope
// (Dialect.Visible), so that hidden rows are not read. The visibility of other concepts is checked when their row is read for
// another reason, or at the end.
package sqlstore
