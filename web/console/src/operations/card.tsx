import type { ReactNode } from 'react'

/** A part of the overview. */
export function Card({
  title,
  className = '',
  action,
  children,
}: {
  readonly title: string
  readonly className?: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className={`card ${className}`}>
      <h2>
        {title} {action}
      </h2>
      {children}
    </section>
  )
}
