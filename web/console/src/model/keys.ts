/** An action that a key starts. */
export interface KeyBinding {
  /**
   * Combinations such as `mod+k`, `shift+enter`, `?`, `[`, or a sequence such as `g r`. `mod` is Command on a Mac and Control
   * elsewhere.
   */
  readonly keys: string
  readonly label: string
  /** The heading under which the sheet of keys lists the action; by default the room. */
  readonly group?: string
  readonly run: (event: KeyboardEvent) => void
  /** Whether the key works while a text field has the focus. False by default, even for combinations with `mod`. */
  readonly inFields?: boolean
  /** Whether a component handles the key itself, so that only the sheet of keys lists it. */
  readonly isListedOnly?: boolean
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
/** Time within which the second key of a sequence must follow, in milliseconds. */
const sequenceMs = 1_500
const settingKey = 'weft-console-letter-keys'

/*
 * The keys of the console. Later bindings take precedence, so a room overrides the shell, and a panel overrides the room.
 * A key does nothing in text fields and dialogs unless its binding has `inFields`. Single-letter keys can be switched off.
 */
export class Keys {
  #bindings: readonly KeyBinding[] = []
  readonly #listeners = new Set<() => void>()
  /** The first key of a sequence, and when it was pressed. */
  #started: { readonly key: string; readonly at: number } | undefined

  readonly get = (): readonly KeyBinding[] => this.#bindings

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds bindings. Returns a function that removes them. */
  register(bindings: readonly KeyBinding[]): () => void {
    this.#set([...bindings, ...this.#bindings])
    return () => this.#set(this.#bindings.filter((one) => !bindings.includes(one)))
  }

  /** Handles a key that was pressed anywhere: runs the first binding that matches. */
  handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return
    const pressed = nameOf(event)
    const sequence = this.#takeSequence(pressed)
    const usable = this.#bindings.filter((binding) => isUsable(binding, event))
    const found =
      usable.find(({ keys }) => keys === sequence) ?? usable.find(({ keys }) => keys === pressed)
    if (found) {
      event.preventDefault()
      found.run(event)
    } else if (usable.some(({ keys }) => keys.startsWith(`${pressed} `))) {
      this.#started = { key: pressed, at: event.timeStamp }
    }
  }

  #takeSequence(pressed: string): string | undefined {
    const started = this.#started
    this.#started = undefined
    const isRecent = started !== undefined && performance.now() - started.at < sequenceMs
    return isRecent ? `${started.key} ${pressed}` : undefined
  }

  #set(bindings: readonly KeyBinding[]): void {
    this.#bindings = bindings
    for (const listener of this.#listeners) listener()
  }
}

/** Whether single-letter keys are switched on. */
export const hasLetterKeys = (): boolean => localStorage.getItem(settingKey) !== 'off'

/** Switches single-letter keys on or off for this browser. */
export function setLetterKeys(on: boolean): void {
  if (on) localStorage.removeItem(settingKey)
  else localStorage.setItem(settingKey, 'off')
}

function isUsable(
  { keys, inFields = false, isListedOnly = false }: KeyBinding,
  event: KeyboardEvent,
): boolean {
  if (isListedOnly) return false
  // The target of an event inside a shadow root, such as that of the code editor, is the host of the root.
  const inField = isField(event.composedPath()[0] ?? null)
  if (inField && !inFields) return false
  if (document.querySelector('dialog[open]') && !inFields) return false
  return hasModifier(keys) || keys.length > 3 || hasLetterKeys()
}

const hasModifier = (keys: string): boolean => keys.startsWith('mod+') || keys.startsWith('alt+')

/** Reports whether an element takes typed text. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Returns the name of a pressed combination in the form used by bindings. */
export function nameOf(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const mod = isMac ? event.metaKey : event.ctrlKey
  // The name of a sign such as `?` includes Shift. For letters and named keys Shift is a modifier.
  const shift = event.shiftKey && (key.length > 1 || mod || /[a-z]/.test(key))
  return [mod && 'mod', event.altKey && 'alt', shift && 'shift', key].filter(Boolean).join('+')
}

/** Returns a combination in readable form: `⌘K`, `Ctrl K`, `G R`. */
export function showKeys(keys: string): string {
  return keys
    .split(' ')
    .map((combination) =>
      combination
        .split('+')
        .map(showKey)
        .join(isMac ? '' : ' '),
    )
    .join(' ')
}

const signs: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  alt: isMac ? '⌥' : 'Alt',
  shift: '⇧',
  enter: '↵',
  space: 'Space',
  backspace: '⌫',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  escape: 'Esc',
  tab: 'Tab',
  delete: 'Del',
}

const showKey = (key: string): string =>
  signs[key] ?? (/^(.|f\d+)$/.test(key) ? key.toUpperCase() : key)
