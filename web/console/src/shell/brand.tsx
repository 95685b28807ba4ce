/** The logo: two vertical and two horizontal threads, woven. */
export function Brand() {
  return (
    <svg viewBox="0 0 32 32" fill="none" strokeWidth="5" aria-hidden="true" focusable="false">
      <path stroke="var(--indigo)" d="M10 2v5M10 15v15M22 2v15M22 25v5" />
      <path stroke="var(--madder)" d="M2 11h15M25 11h5M2 21h3M15 21h15" />
    </svg>
  )
}
