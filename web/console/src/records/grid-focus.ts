/**
 * Whether the next grid that opens takes the focus, so that the user can type immediately. Other grids do not take it: while a
 * grid has the focus, letters edit cells and do not work as keys of the console.
 */
export const gridFocus = { isWanted: false }
