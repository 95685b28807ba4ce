import { useEffect, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'

type Source =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly text: string }
  | { readonly status: 'error'; readonly message: string }

/** Source code generated from the schema: TypeScript or Go. */
export function SourceView({ language, version }: { language: 'ts' | 'go'; version: string }) {
  const { request } = useConsole()
  const [source, setSource] = useState<Source>({ status: 'loading' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version of the schema loads the source again
  useEffect(() => {
    let isCurrent = true
    request<{ source: string }>(`/api/v1/schema/source?language=${language}`).then(
      ({ source: text }) => isCurrent && setSource({ status: 'ready', text }),
      (error: unknown) => isCurrent && setSource({ status: 'error', message: errorText(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [request, language, version])
  return (
    <section className="source" aria-label="Generated types">
      <div className="bar">
        <Tabs
          label="Language"
          tabs={[
            { to: '/schema?show=types', label: 'TypeScript', isCurrent: language === 'ts' },
            { to: '/schema?show=types&in=go', label: 'Go', isCurrent: language === 'go' },
          ]}
        />
        <span className="grow" />
        {source.status === 'ready' && <CopyButton text={source.text} />}
      </div>
      {source.status === 'loading' && <Loading>Still generating the types.</Loading>}
      {source.status === 'error' && <Failed error={source.message} />}
      {source.status === 'ready' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        <pre className="code" tabIndex={0}>
          {source.text}
        </pre>
      )}
    </section>
  )
}
