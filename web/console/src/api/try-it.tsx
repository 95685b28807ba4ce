import { type FormEvent, useState } from 'react'
import { account } from '../model/client.ts'
import { errorText } from '../model/request.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { addressOf, curlOf, type Operation } from './openapi.ts'

/** A response, formatted for display. */
interface ShownResponse {
  readonly status: string
  readonly durationMs: number
  readonly text: string
}

/** Maximum number of characters of a response that are shown. The copy button copies the whole response. */
const maxShownLength = 20_000

/** A form that sends a request as the signed-in user and shows the response. It also offers the request as a curl command. */
export function TryIt({ operation }: { operation: Operation }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [body, setBody] = useState(operation.body)
  const [problem, setProblem] = useState('')
  const [shown, setShown] = useState<ShownResponse>()
  const address = addressOf(operation, values)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ('missing' in address) {
      setProblem(`Fill in ${address.missing}.`)
      return
    }
    setProblem('')
    try {
      setShown(await sendRequest(operation.method, address.path, body))
    } catch (error) {
      setProblem(errorText(error))
    }
  }
  const url = location.origin + ('path' in address ? address.path : operation.path)
  return (
    <form className="form try" onSubmit={submit}>
      {operation.parameters.map((parameter) => (
        <label key={parameter.name} className="field">
          <span>
            {parameter.name}
            {parameter.required ? '' : ', optional'}
          </span>
          <input
            value={values[parameter.name] ?? ''}
            placeholder={defaultText(parameter.schema?.default)}
            onChange={(event) => setValues({ ...values, [parameter.name]: event.target.value })}
          />
        </label>
      ))}
      {body !== undefined && (
        <label className="field">
          <span>Body, as JSON</span>
          <textarea
            className="mono"
            rows={Math.min(14, body.split('\n').length + 1)}
            spellCheck={false}
            value={body}
            onChange={(event) => setBody(event.target.value)}
          />
        </label>
      )}
      <p className="problem" role="alert">
        {problem}
      </p>
      {operation.refusal === undefined ? (
        <p className="acts">
          <button type="submit" className="button">
            Send {operation.method}
          </button>
          <CopyButton text={curlOf(operation.method, url, body)}>Copy as curl</CopyButton>
        </p>
      ) : (
        <p className="soft">{operation.refusal}</p>
      )}
      {shown && <ResponseText shown={shown} />}
    </form>
  )
}

const defaultText = (value: unknown): string => (value === undefined ? '' : String(value))

async function sendRequest(
  method: string,
  path: string,
  body: string | undefined,
): Promise<ShownResponse> {
  if (body !== undefined) JSON.parse(body) // Throws before a request is sent. The message contains the position of the syntax error.
  const start = performance.now()
  const response = await account.fetch(path, {
    method,
    ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await response.text()
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    durationMs: performance.now() - start,
    text: formatJson(text),
  }
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text // Not every response is JSON.
  }
}

function ResponseText({ shown: { status, durationMs, text } }: { shown: ShownResponse }) {
  return (
    <section className="response" aria-label="Response">
      <p role="status">
        <b>{status}</b> <span className="soft">in {Math.round(durationMs)} ms</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <pre className="code" tabIndex={0}>
        {text.slice(0, maxShownLength)}
      </pre>
      {text.length > maxShownLength && (
        <p className="soft">
          {text.length.toLocaleString('en')} characters. Shown: the first{' '}
          {maxShownLength.toLocaleString('en')}.
        </p>
      )}
      <CopyButton text={text}>Copy the response</CopyButton>
    </section>
  )
}
