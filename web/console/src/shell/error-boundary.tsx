import { Component, type ReactNode } from 'react'
import { Failed } from '../parts/states.tsx'

interface Props {
  readonly children: ReactNode
  /** A change of this value clears the error. */
  readonly resetKey?: string
}

/** Catches errors of the components inside and offers another attempt. The rest of the console keeps working. */
export class ErrorBoundary extends Component<
  Props,
  { readonly error: unknown; readonly at: string | undefined }
> {
  override state = { error: undefined as unknown, at: this.props.resetKey }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: { at: string | undefined }) {
    return resetKey === state.at ? null : { error: undefined, at: resetKey }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <main id="main" tabIndex={-1}>
        <Failed
          title="An error occurred in this part of the console"
          error={error}
          retry={() => this.setState({ error: undefined })}
        />
      </main>
    )
  }
}
