export const style = `
  :host { all: initial; }
  * { box-sizing: border-box; }
  aside {
    color-scheme: light dark;
    position: fixed; inset: auto 0 0 0; z-index: 2147483647;
    block-size: min(22rem, 60vh); display: flex; flex-direction: column;
    background: Canvas; color: CanvasText; border-block-start: 3px solid #2b3990;
    font: 13px/1.4 system-ui, sans-serif;
  }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem; padding: 0.25rem 0.5rem; }
  header form { margin-inline-start: auto; display: flex; gap: 0.25rem; }
  section { flex: 1; overflow: auto; padding: 0 0.75rem 0.75rem; }
  button, input { font: inherit; min-block-size: 24px; }
  [role="tab"] { border: 0; background: none; color: inherit; padding: 0.25rem 0.6rem; }
  [role="tab"][aria-selected="true"] { box-shadow: inset 0 -3px #b3243f; font-weight: 600; }
  :focus-visible { outline: 2px solid #2b3990; outline-offset: 1px; }
  table { border-collapse: collapse; inline-size: 100%; margin-block-end: 1rem; }
  th, td { text-align: start; vertical-align: top; padding: 0.15rem 0.75rem 0.15rem 0; border-block-end: 1px solid color-mix(in srgb, currentColor 15%, transparent); overflow-wrap: anywhere; }
  pre, code { font: 12px/1.4 ui-monospace, monospace; white-space: pre-wrap; margin: 0.25rem 0; }
  p { margin: 0.4rem 0; }
  .quiet { opacity: 0.75; }
`
