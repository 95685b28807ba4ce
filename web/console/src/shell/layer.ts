/** The layer that is open above the room. */
export type Layer = 'none' | 'palette' | 'keys' | 'changes'
