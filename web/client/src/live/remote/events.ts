/** A server-sent event. An event without a name is a heartbeat. */
export interface StreamEvent {
  readonly name: string
  readonly id: string
  readonly data: string
}

/**
 * Calls back for each server-sent event of a stream. Resolves when the stream ends; rejects when the connection breaks.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let event = { name: '', id: '', data: '' }
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, text = ''] = /^([^:\r]*)(?:: ?(.*?))?\r?$/.exec(line) ?? []
      if (field === 'event') event.name = text
      else if (field === 'id') event.id = text
      else if (field === 'data') event.data += text
      else if (line.trim() === '') {
        onEvent(event)
        event = { name: '', id: '', data: '' }
      }
    }
  }
}
